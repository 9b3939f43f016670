import type { StepData } from '../definitions/definition.ts';
import type { WizardKind, WizardStatus } from './session.entity.ts';
import type { SessionFile } from './session-files.ts';

/** A wizard session as it is stored, wherever that is. */
export interface SessionRecord {
  id: string;
  kind: WizardKind;
  status: WizardStatus;
  definitionVersion: number;
  currentStep: string;
  /** What is saved, by step. */
  data: StepData;
  files: SessionFile[];
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
  /** As a reader sees it: one whose time is over is EXPIRED, whatever is stored. */
  status?: WizardStatus | undefined;
  kind?: WizardKind | undefined;
  /** Only ids before this one; newest first. */
  before?: string | undefined;
  limit: number;
}

/** Sessions that are still worked on; they end with their time. */
export const PERISHABLE: ReadonlySet<WizardStatus> = new Set(['DRAFT', 'READY', 'FAILED']);

/** What is deployed, or is being deployed, stays. */
export const isKept = (status: WizardStatus): boolean => status === 'DEPLOYED' || status === 'DEPLOYING';

const DAY_MILLIS = 24 * 60 * 60 * 1000;
/** How long a session of a user can be worked on. */
export const LIFETIME_MILLIS = 30 * DAY_MILLIS;
/** The end of a session that must not be forgotten before somebody has decided. */
export const NEVER = new Date('9999-01-01T00:00:00Z');

/**
 * Whether its deployment could not be undone: the session keeps its names, and nothing of it changes, until a
 * SUPER_ADMIN has decided.
 */
export const isUnresolved = ({ status, expiresAt }: Pick<SessionRecord, 'status' | 'expiresAt'>): boolean =>
  status === 'FAILED' && expiresAt >= NEVER;

/** The status that a reader sees. */
export const statusOf = ({ status, expiresAt }: Pick<SessionRecord, 'status' | 'expiresAt'>): WizardStatus =>
  PERISHABLE.has(status) && expiresAt.getTime() <= Date.now() ? 'EXPIRED' : status;

/** Where sessions are kept. Implementations: `session-store.database.ts`, `session-store.memory.ts` (WIZARD_STORAGE). */
export interface SessionStore {
  insert(session: SessionRecord): Promise<void>;
  findByIds(ids: readonly string[]): Promise<SessionRecord[]>;
  list(filter: SessionFilter): Promise<SessionRecord[]>;
  /** Tells all replicas that a session has changed, or its deployment; part of the unit of work. */
  announce(id: string): Promise<void>;
  /** Stores and announces the change where the stored version is still the one before `session.version`; false where it is not. */
  replace(session: SessionRecord): Promise<boolean>;
  /** Of those that are not deployed: whose time was over before then. */
  findOver(before: Date, limit: number): Promise<SessionRecord[]>;
  /** Onboardings of members that were deployed before then. */
  findDeployedOnboardings(before: Date, limit: number): Promise<SessionRecord[]>;
  /** Removes them for good. */
  remove(ids: readonly string[]): Promise<void>;
}
