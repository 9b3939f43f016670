import type { WizardKind } from '../definitions/definition.ts';

export const WizardStatus = {
  DRAFT: 'DRAFT',
  READY: 'READY',
  DEPLOYING: 'DEPLOYING',
  DEPLOYED: 'DEPLOYED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
} as const;
export type WizardStatus = (typeof WizardStatus)[keyof typeof WizardStatus];

/** A wizard session as it is stored, wherever that is. */
export interface SessionRecord {
  id: string;
  kind: WizardKind;
  status: WizardStatus;
  definitionVersion: number;
  currentStep: string;
  /** What is saved, by step. */
  data: Record<string, Record<string, unknown>>;
  version: number;
  createdBy: string | null;
  gymId: string | null;
  /** SHA-256 of the token by which a session without an account opens. */
  resumeTokenHash: string | null;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
}
