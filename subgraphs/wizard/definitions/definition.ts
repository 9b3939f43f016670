import type { z } from 'zod';
import type { WizardKind } from '../sessions/session.entity.ts';

/** What is saved of a session, by step. */
export type StepData = Record<string, Record<string, unknown>>;

/** A wizard as data: which steps, in which order, and what each wants. A change that old sessions do not fit gets a new version. */
export interface WizardDefinition {
  kind: WizardKind;
  version: number;
  steps: readonly StepDefinition[];
  /**
   * By the version before: what makes that version's data into the next one's. A session of a version from which no
   * way leads here is refused by name (WIZARD_VERSION_UNSUPPORTED).
   */
  migrations?: Readonly<Record<number, (data: StepData) => StepData>>;
}

export interface StepDefinition {
  key: string;
  title: string;
  /** What the step's data must be to be complete. */
  shape: z.ZodObject;
  /** Fields that are kept once the session is deployed; the others are personal, and are then where they belong. Default: all. */
  keptWhenDeployed?: readonly string[];
  /** The step is left out where an earlier one says so. Default: it always applies. */
  leftOutIf?: { step: string; field: string; is: unknown };
  /** Uploads that the step takes, by the name of their field. */
  files?: Readonly<Record<string, FileField>>;
}

export interface FileField {
  /** Where the address of the file goes in the step's data, dotted. */
  path: string;
  /** `picture`: JPEG, PNG, WebP or AVIF, which is re-encoded. `document`: such a picture or a PDF. */
  takes: 'picture' | 'document';
  /** Everybody may read it once the session is deployed, as a logo. Default: only those who may open the session. */
  isPublicOnceDeployed?: boolean;
}

/** A paper that belongs to a step, for whoever checks it. */
export const DOCUMENT: Readonly<Record<string, FileField>> = {
  document: { path: 'document', takes: 'document' },
};
