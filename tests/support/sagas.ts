import { EventEmitter, once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Registry } from 'prom-client';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { listenTo } from '#server/database/notifications.ts';
import { conflict, notFound, PlatformError } from '#server/errors.ts';
import { createLogger } from '#server/observability/logger.ts';
import { DatabaseSagaStore, SAGA_CHANNEL } from '#server/saga/saga-store.database.ts';
import { MemorySagaStore } from '#server/saga/saga-store.memory.ts';
import type { Lease, SagaStore } from '#server/saga/saga-store.ts';
import { sagaEntities, sagaMigrations } from '#server/saga/saga-tables.ts';
import {
  isFinished,
  sagaAction,
  type Saga,
  type SagaAction,
  type SagaDefinition,
} from '#server/saga/saga.ts';
import { Sagas, type SagasOptions } from '#server/saga/sagas.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { eventually } from './eventually.ts';
import { cloneDatabase } from './database.ts';

const declaration: DatabaseDeclaration = {
  name: 'platform_sagas',
  entities: sagaEntities,
  migrations: sagaMigrations,
};
const log = createLogger('sagas', 'silent');
export const down = () => new PlatformError('UPSTREAM_UNAVAILABLE', 'down');

/** Another service, in which each action creates an object by its idempotency key. It loses no request. */
export class TargetService {
  /** The idempotency keys of the objects that exist. */
  readonly objects = new Set<string>();
  readonly calls: string[] = [];
  readonly events = new EventEmitter();
  /** The errors of the next calls of an action, in order. */
  readonly failures = new Map<string, (() => Error)[]>();
  private readonly runningCalls = new Map<string, number>();
  /** The highest number of simultaneous calls for one saga. */
  maxConcurrentCalls = 0;
  /** An action that is always refused. */
  refused: string | undefined;

  private async call(sagaId: string, what: string, work: () => void): Promise<void> {
    this.runningCalls.set(sagaId, (this.runningCalls.get(sagaId) ?? 0) + 1);
    this.maxConcurrentCalls = Math.max(this.maxConcurrentCalls, this.runningCalls.get(sagaId) ?? 0);
    this.calls.push(what);
    this.events.emit(what);
    await new Promise((resolve) => setImmediate(resolve));
    const failure = this.failures.get(what)?.shift();
    try {
      if (what === this.refused) throw conflict('refused');
      if (failure) throw failure();
      work();
    } finally {
      this.runningCalls.set(sagaId, (this.runningCalls.get(sagaId) ?? 0) - 1);
    }
  }

  action(name: string): SagaAction {
    return sagaAction<{ n: number }, { made: string }>({
      service: `${name}-service`,
      run: async ({ sagaId, idempotencyKey, input }) => {
        await this.call(sagaId, name, () => this.objects.add(idempotencyKey));
        return { made: `${name}${input?.n ?? ''}` };
      },
      undo: ({ sagaId }) =>
        this.call(sagaId, `undo ${name}`, () => {
          if (!this.objects.delete(`${sagaId}:${name}`)) throw notFound('thing', name);
        }),
    });
  }
}

/** Sagas in one kind of store, for the tests of a `describe`. The store is opened before them and closed after them. */
export function sagasIn(storage: string) {
  let unitOf: () => UnitOfWork;
  let store: SagaStore;
  const toClose: (() => Promise<void>)[] = [];
  /** The latest lease of each saga. */
  const leases = new Map<string, Lease>();
  const withRecordedLeases = (original: SagaStore): SagaStore =>
    Object.assign(Object.create(original) as SagaStore, {
      async claim(kinds, limit, lease) {
        const claimed = await original.claim(kinds, limit, lease);
        for (const { id } of claimed) leases.set(id, lease);
        return claimed;
      },
    } satisfies Partial<SagaStore>);
  beforeAll(async () => {
    if (storage === 'memory') {
      unitOf = () => new UnitOfWork(undefined, ANONYMOUS, log, NO_ORIGIN);
      store = withRecordedLeases(new MemorySagaStore(unitOf));
      return;
    }
    const { server, name } = await cloneDatabase(declaration);
    const orm = await openDatabase(declaration, { server, name, migrate: false });
    const notifications = await listenTo(server, name, [SAGA_CHANNEL], log);
    toClose.push(
      () => orm.close(true),
      () => notifications.close(),
    );
    unitOf = () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
    store = withRecordedLeases(new DatabaseSagaStore(unitOf, notifications));
  });
  const instances: Sagas[] = [];
  afterEach(() => Promise.all(instances.splice(0).map((sagas) => sagas.dispose())));
  afterAll(async () => {
    for (const close of toClose.toReversed()) await close();
  });

  const startSagas = (definition: SagaDefinition, options: Partial<SagasOptions> = {}): Sagas => {
    const sagas = new Sagas({
      store,
      definitions: [definition],
      log,
      pollMillis: 10,
      // Longer than any test: on a busy machine a short lease could expire while its holder works. A test that needs an
      // expired lease calls `expireLease`.
      leaseMillis: 60_000,
      retry: { firstMillis: 10, capMillis: 20 },
      ...options,
    });
    instances.push(sagas);
    return sagas;
  };
  /** Makes the lease of a crashed instance expire, so that a test need not wait for it. */
  const expireLease = async (sagaId: string): Promise<void> => {
    const lease = leases.get(sagaId);
    if (lease) await store.renew(sagaId, { ...lease, millis: 0 });
  };
  /** A definition with a new kind, so that the instances of other tests do not work on its sagas. */
  const definitionFor = (target: TargetService, more: Partial<SagaDefinition> = {}): SagaDefinition => ({
    kind: randomUUID(),
    actions: Object.fromEntries(['one', 'two', 'three'].map((name) => [name, target.action(name)])),
    ...more,
  });
  const planFor = ({ kind }: SagaDefinition, subject: string = randomUUID()) => ({
    kind,
    subject,
    actions: [{ name: 'one', input: { n: 1 } }, { name: 'two' }, { name: 'three' }],
  });
  /** Waits for changes until the saga has the expected state. */
  const waitFor = async (id: string, isExpected: (saga: Saga) => boolean = isFinished): Promise<Saga> => {
    const events = new EventEmitter();
    const stop = store.onChange(
      (changed) => void ((changed === id || changed === undefined) && events.emit('change')),
    );
    try {
      for (;;) {
        const change = once(events, 'change');
        const saga = await store.find(id);
        if (saga && isExpected(saga)) return saga;
        await change;
      }
    } finally {
      stop();
    }
  };
  const statuses = (saga: Saga) => saga.actions.map(({ name, status }) => `${name} ${status}`);
  /** Waits until the metrics have the expected value. */
  const waitForMetrics = (
    registry: Registry,
    kind: string,
    { failed, waiting }: { failed: number; waiting: number },
  ) =>
    eventually(async () => {
      const text = await registry.metrics();
      return (
        text.includes(`sagas_undo_failed_total{kind="${kind}"} ${failed}\n`) &&
        text.includes(`sagas_waiting_for_decision{kind="${kind}"} ${waiting}\n`)
      );
    });
  return {
    get store() {
      return store;
    },
    unitOf: () => unitOf(),
    startSagas,
    expireLease,
    definitionFor,
    planFor,
    waitFor,
    statuses,
    waitForMetrics,
  };
}
