import type { Logger } from '../observability/logger.ts';
import { removeRows, type RetentionRule } from '../retention/retention.ts';
import { sagaAction, type SagaDefinition } from '../saga/saga.ts';
import { DatabaseSagaStore } from '../saga/saga-store.database.ts';
import { Sagas } from '../saga/sagas.ts';
import type { CallsToServices } from '../service-calls.ts';
import { SERVICE_NAMES, type ServiceName } from '../settings.ts';
import { NO_ORIGIN, type UnitOfWork } from '../unit-of-work.ts';

const REMOVAL_SAGA = 'reference-removal';

interface Removal {
  typeName: string;
  id: string;
}

/**
 * Reports to other services that an entity of this service has been removed. Each service is called until it has answered,
 * so its references disappear within moments, or when it runs again.
 */
const removalSaga = (calls: CallsToServices): SagaDefinition => ({
  kind: REMOVAL_SAGA,
  order: 'independent',
  onRefusal: 'retry',
  actions: Object.fromEntries(
    SERVICE_NAMES.map((service) => [
      service,
      sagaAction<Removal, null>({
        service,
        async run({ input: { typeName, id } }) {
          await calls.to(service).call({
            method: 'DELETE',
            path: `/references/${typeName}/${id}`,
            as: 'service',
            origin: NO_ORIGIN,
          });
          return null;
        },
      }),
    ]),
  ),
});

interface RemovalsOptions {
  /** The services that may refer to entities of this service, by the entities' type in the graph. */
  referringServices: Readonly<Record<string, readonly ServiceName[]>>;
  calls: CallsToServices;
  unitOf(): UnitOfWork;
  log: Logger;
}

/** A removal is reported at its commit. Polling finds the removals whose report failed or was interrupted by a stop. */
const POLL_MILLIS = 5_000; // 5 s

/** Reports removals to the services that may refer to the entities. The service's database needs the tables of `sagaMigrations`. */
export class Removals {
  private readonly referringServices: RemovalsOptions['referringServices'];
  private readonly sagas: Sagas;

  constructor({ referringServices, calls, unitOf, log }: RemovalsOptions) {
    this.referringServices = referringServices;
    this.sagas = new Sagas({
      store: new DatabaseSagaStore(unitOf),
      definitions: [removalSaga(calls)],
      log,
      pollMillis: POLL_MILLIS,
    });
    this.sagas.wake(); // continues the reports that a stop interrupted
  }

  /**
   * Call it in the transaction that removes the entity: the removal is reported if and only if that transaction commits.
   * @param occasion for an entity that can be reported more than once, such as one that is hidden and shown again: the version
   * that is reported. Each occasion is reported once.
   */
  async report(unit: UnitOfWork, typeName: string, id: string, occasion?: number): Promise<void> {
    const services = this.referringServices[typeName];
    if (!services) throw new Error(`No service is declared that may refer to a ${typeName}.`);
    await this.sagas.start(
      {
        kind: REMOVAL_SAGA,
        subject: `${typeName}:${id}${occasion === undefined ? '' : `:${occasion}`}`,
        actions: services.map((name) => ({ name, input: { typeName, id } satisfies Removal })),
      },
      unit,
    );
  }

  dispose(): Promise<void> {
    return this.sagas.dispose();
  }
}

/** Deletes the records of removals that every service has answered. */
export const removalsRetention: RetentionRule = {
  what: 'reference_removals',
  kept: 'retentionSagasDays',
  run: (unit, before) => removeRows(unit, 'saga', 'kind = ? and finished_at < ?', [REMOVAL_SAGA, before]),
};
