import type { WizardKind, WizardStatus } from './session.entity.ts';

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

export interface SessionFilter {
  /** Only this user's; undefined: everybody's. */
  createdBy?: string | undefined;
  status?: WizardStatus | undefined;
  kind?: WizardKind | undefined;
  /** Only ids before this one; newest first. */
  before?: string | undefined;
  limit: number;
}

/** Where sessions are kept. Implementations: `session-store.database.ts`, `session-store.memory.ts` (WIZARD_STORAGE). */
export interface SessionStore {
  insert(session: SessionRecord): Promise<void>;
  findByIds(ids: readonly string[]): Promise<SessionRecord[]>;
  list(filter: SessionFilter): Promise<SessionRecord[]>;
  /** Stores the change where the stored version is still the one before `session.version`; false where it is not. */
  replace(session: SessionRecord): Promise<boolean>;
  /** Removes them for good. */
  remove(ids: readonly string[]): Promise<void>;
}
