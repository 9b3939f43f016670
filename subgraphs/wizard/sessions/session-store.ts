import { DAY_MILLIS } from '#server/durations.ts';
import type { StepData } from '../definitions/definition.ts';
import type { WizardKind } from '../definitions/wizard-kind.ts';
import type { WizardStatus } from './session.entity.ts';
import type { SessionFile } from './session-files.ts';

/** A stored wizard session. */
export interface SessionRecord {
  id: string;
  kind: WizardKind;
  status: WizardStatus;
  definitionVersion: number;
  currentStep: string;
  /** The saved data, by step. */
  data: StepData;
  files: SessionFile[];
  version: number;
  /** The owner: the user who created or claimed the session; null if it has none yet, or if their account is deleted. */
  createdBy: string | null;
  gymId: string | null;
  /** SHA-256 of the token that opens a session without an account. */
  resumeTokenHash: string | null;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

interface SessionFilter {
  /** Only sessions of this user; undefined: of all users. */
  createdBy?: string | undefined;
  /** The status in the API, see `statusOf`. */
  status?: WizardStatus | undefined;
  kind?: WizardKind | undefined;
  /** Only sessions with smaller ids; the list is newest first. */
  before?: string | undefined;
  limit: number;
}

/** Sessions with these statuses can still change, and expire. */
export const EXPIRING: ReadonlySet<WizardStatus> = new Set(['DRAFT', 'READY', 'FAILED']);

/** A session that is deployed, or being deployed, does not expire. */
export const isKept = (status: WizardStatus): boolean => status === 'DEPLOYED' || status === 'DEPLOYING';

/** How long a user's session can be changed after they have created or claimed it. */
export const LIFETIME_MILLIS = 30 * DAY_MILLIS;
/** `expiresAt` of a session that must be kept until a SUPER_ADMIN has decided about it. */
export const NEVER = new Date('9999-01-01T00:00:00Z');

/**
 * Whether the session's deployment could not be undone. The session then keeps its reservations, and cannot change until a
 * SUPER_ADMIN has decided.
 */
export const isUnresolved = ({ status, expiresAt }: Pick<SessionRecord, 'status' | 'expiresAt'>): boolean =>
  status === 'FAILED' && expiresAt >= NEVER;

/** The status in the API: a session that can still change is EXPIRED after `expiresAt`, whatever status is stored. */
export const statusOf = ({ status, expiresAt }: Pick<SessionRecord, 'status' | 'expiresAt'>): WizardStatus =>
  EXPIRING.has(status) && expiresAt.getTime() <= Date.now() ? 'EXPIRED' : status;

/** Whether its owner may change the session, and reserve values for it. */
export const canChange = (session: Pick<SessionRecord, 'status' | 'expiresAt'>): boolean =>
  !isUnresolved(session) && EXPIRING.has(statusOf(session));

/** The storage of sessions. Implementations: `session-store.database.ts`, `session-store.memory.ts` (WIZARD_STORAGE). */
export interface SessionStore {
  insert(session: SessionRecord): Promise<void>;
  findByIds(ids: readonly string[]): Promise<SessionRecord[]>;
  list(filter: SessionFilter): Promise<SessionRecord[]>;
  /** Notifies all replicas that a session or its deployment has changed; part of the transaction. */
  notify(id: string): Promise<void>;
  /**
   * Stores the changed session, and notifies all replicas, if the stored version is still `session.version - 1`; else
   * returns false.
   */
  replace(session: SessionRecord): Promise<boolean>;
  /** Expired and cancelled sessions whose `expiresAt` is before this time. */
  findExpired(before: Date, limit: number): Promise<SessionRecord[]>;
  /** Onboardings that were deployed before this time. */
  findDeployedOnboardings(before: Date, limit: number): Promise<SessionRecord[]>;
  /** Deletes the sessions with these ids. */
  remove(ids: readonly string[]): Promise<void>;
}
