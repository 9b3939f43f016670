import type { WizardKind } from '../definitions/definition.ts';
import type { SessionRecord, WizardStatus } from './session.ts';

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
}
