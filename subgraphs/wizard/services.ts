import { AccountData } from '#server/accounts/account-data.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import { Jobs } from '#server/jobs/jobs.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { wizardAccountPart } from './accounts/account-part.ts';
import { Availability } from './availability/availability.ts';
import { CancelledVisits } from './availability/cancelled-visits.ts';
import type { WizardDefinitions } from './definitions/definitions.ts';
import { DEPLOYMENT } from './deployments/deployment-context.ts';
import { Deployments } from './deployments/deployments.ts';
import { Files } from './files/files.ts';
import { FirstVisits } from './first-visits/first-visits.ts';
import { lookupsOf, type OtherServices } from './other-services.ts';
import { Sessions } from './sessions/sessions.ts';
import type { WizardStorage } from './storage.ts';

export interface WizardResources {
  storage: WizardStorage;
  definitions: WizardDefinitions;
  sagas: Sagas;
  services: OtherServices;
  files: FileStorage;
  /** The public URL of this service. */
  publicUrl: string;
}

/** The rules of this service for one unit of work. */
export const wizardServices = (unit: UnitOfWork, resources: WizardResources) => {
  const { sagas, services } = resources;
  const deploymentsOf = (sessionIds: readonly string[]) => sagas.findBySubjects(DEPLOYMENT, sessionIds);
  const sessions = new Sessions(unit, { ...resources, deploymentsOf });
  const lookups = lookupsOf(services, unit.origin);
  const cancelledVisits = new CancelledVisits(unit, { ...resources, lookups, deploymentsOf });
  return {
    sessions,
    availability: new Availability(unit, { ...resources, sessions, lookups, cancelledVisits }),
    firstVisits: new FirstVisits(unit, { ...resources, lookups }),
    files: new Files(unit, { ...resources, sessions }),
    deployments: new Deployments(unit, { ...resources, sessions }),
    jobs: new Jobs(unit),
    accountData: new AccountData(unit, wizardAccountPart(unit, resources)),
  };
};

type WizardServices = ReturnType<typeof wizardServices>;
export type Context = GraphContext<WizardServices>;
