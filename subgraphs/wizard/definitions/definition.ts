import type { z } from 'zod';
import type { Resource } from '../availability/resources.ts';
import type { WizardKind } from './wizard-kind.ts';

/** The saved data of a session, by step. */
export type StepData = Record<string, Record<string, unknown>>;

/**
 * A wizard as data: its steps, their order, and the shape of each. A change that does not fit existing sessions needs a new
 * version.
 */
export interface WizardDefinition {
  kind: WizardKind;
  version: number;
  steps: readonly StepDefinition[];
  /** The kinds of values that its sessions may reserve. */
  reserves: readonly Resource[];
  /**
   * By version: converts that version's data to the next version. A session whose version has no path to the current one is
   * refused with WIZARD_VERSION_UNSUPPORTED.
   */
  migrations?: Readonly<Record<number, (data: StepData) => StepData>>;
}

export interface StepDefinition {
  key: string;
  title: string;
  /** The shape of complete data. */
  shape: z.ZodObject;
  /**
   * Fields that are kept after the deployment; the others are personal data, which the other services then store. Default:
   * all.
   */
  keptWhenDeployed?: readonly string[];
  /** The step is skipped if an earlier step has this value. Default: the step is never skipped. */
  skipIf?: { step: string; field: string; is: unknown };
  /** Files that the step accepts, by the name of their field. */
  files?: Readonly<Record<string, FileField>>;
}

export interface FileField {
  /** The dotted path in the step's data at which the file's URL is stored. */
  path: string;
  /** `picture`: JPEG, PNG, WebP or AVIF, which is re-encoded. `document`: such a picture or a PDF. */
  takes: 'picture' | 'document';
  /**
   * Whether everybody may read the file once the session is deployed, e.g. a logo. Default: only callers who may open the
   * session.
   */
  isPublicOnceDeployed?: boolean;
}

/** A document that belongs to a step, for the user who checks the session. */
export const DOCUMENT: Readonly<Record<string, FileField>> = {
  document: { path: 'document', takes: 'document' },
};
