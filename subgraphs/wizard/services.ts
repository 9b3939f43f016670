import { AccountData } from '#server/accounts/account-data.ts';
import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { wizardAccountPart } from './accounts/account-part.ts';
import { databaseSessionStore } from './sessions/session-store.database.ts';
import type { SessionStore } from './sessions/session-store.ts';
import { Sessions } from './sessions/sessions.ts';

export interface WizardResources {
  /** Where WIZARD_STORAGE=memory; undefined: the database. */
  memoryStore: SessionStore | undefined;
}

/** The rules of this service, made for one unit of work. */
export const wizardServices = (unit: UnitOfWork, { memoryStore }: WizardResources) => {
  const store = memoryStore ?? databaseSessionStore(unit);
  return {
    sessions: new Sessions(unit, store),
    accountData: new AccountData(unit, wizardAccountPart(unit, store, memoryStore !== undefined)),
  };
};

export type WizardServices = ReturnType<typeof wizardServices>;
export type Context = GraphContext<WizardServices>;
