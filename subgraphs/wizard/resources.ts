import { z } from 'zod';
import { listenTo } from '#server/database/notifications.ts';
import type { ServiceBase } from '#server/define-subgraph.ts';
import { DatabaseSagaStore } from '#server/saga/saga-store.database.ts';
import { MemorySagaStore } from '#server/saga/saga-store.memory.ts';
import type { Boundary } from '#server/saga/saga-run.ts';
import { Sagas } from '#server/saga/sagas.ts';
import type { WizardDefinitions } from './definitions/definitions.ts';
import { DEPLOYMENT } from './deployments/deployment-context.ts';
import { deploymentSaga } from './deployments/deployment-saga.ts';
import { otherServices } from './other-services.ts';
import type { WizardResources } from './services.ts';
import { SESSION_CHANNEL } from './sessions/session-store.database.ts';
import { databaseStorage } from './storage.database.ts';
import { memoryStorage } from './storage.memory.ts';
import type { WizardStorage } from './storage.ts';

export const wizardSettings = z.object({
  /** Where sessions are stored: in the database `platform_wizard`, or in the memory of this process. */
  wizardStorage: z.enum(['database', 'memory'], 'expected database or memory').default('database'),
  /** The public URL of this service, for the URLs of uploaded files. Default: WIZARD_URL. */
  wizardPublicUrl: z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' }).optional(),
  /** Another instance takes over a deployment if its instance has not renewed the lease for this long, in milliseconds. */
  wizardDeploymentLeaseMillis: z.coerce
    .number('expected milliseconds')
    .int()
    .min(100)
    .max(600_000)
    .default(15_000), // 15 s
  /** The longest wait between two attempts of a deployment's action, in milliseconds. */
  wizardDeploymentRetryMillis: z.coerce
    .number('expected milliseconds')
    .int()
    .min(10)
    .max(600_000)
    .default(30_000), // 30 s
});

/** The parts that tests replace: the definitions, and an observer of deployments. */
export interface WizardParts {
  definitions: WizardDefinitions;
  observe?: (boundary: Boundary) => void;
}

/** Everything that exists as long as the service runs. */
export async function wizardResources(
  base: ServiceBase<z.output<typeof wizardSettings>>,
  { definitions, observe }: WizardParts,
): Promise<WizardResources & { dispose(): Promise<void> }> {
  const { settings, database, log, metrics, unitOf, serviceTokens, files } = base;
  const notifications = database && (await listenTo(database.server, database.name, [SESSION_CHANNEL], log));
  const storage: WizardStorage = notifications ? databaseStorage(notifications) : memoryStorage();
  const services = otherServices({ settings, tokens: serviceTokens });
  const sagas: Sagas = new Sagas({
    store: database ? new DatabaseSagaStore(() => unitOf()) : new MemorySagaStore(() => unitOf()),
    definitions: [
      deploymentSaga({
        services,
        storage,
        files,
        definitions,
        unitOf: () => unitOf(),
        deploymentsOf: (sessionIds) => sagas.findBySubjects(DEPLOYMENT, sessionIds),
      }),
    ],
    log,
    registry: metrics.registry,
    leaseMillis: settings.wizardDeploymentLeaseMillis,
    retry: {
      firstMillis: Math.min(500, settings.wizardDeploymentRetryMillis),
      capMillis: settings.wizardDeploymentRetryMillis,
    },
    observe,
  });
  sagas.wake(); // for deployments that were not finished before the last stop or crash
  return {
    storage,
    definitions,
    sagas,
    services,
    files,
    publicUrl: (settings.wizardPublicUrl ?? settings.wizardUrl).replace(/\/$/, ''),
    async dispose() {
      await sagas.dispose();
      await notifications?.close();
      await services.close();
    },
  };
}
