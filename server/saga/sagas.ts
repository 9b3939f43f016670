import { randomUUID } from 'node:crypto';
import { notFound } from '../errors.ts';
import { uuidv7 } from '../ids.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { withoutSpan } from '../observability/tracing.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { DEFAULT_RETRY, type RetryOptions } from './retry.ts';
import {
  isSettled,
  planned,
  type Resolution,
  type Saga,
  type SagaDefinition,
  type SagaPlan,
} from './saga.ts';
import { sagaMetrics, type SagaMetrics } from './saga-metrics.ts';
import type { Boundary } from './saga-run.ts';
import type { Lease, SagaStore } from './saga-store.ts';
import { workOn } from './saga-work.ts';
import { resolve } from './undoing.ts';

export interface SagasOptions {
  store: SagaStore;
  definitions: readonly SagaDefinition[];
  log: Logger;
  /** The registry for the metrics of sagas. Default: none. */
  registry?: Metrics['registry'] | undefined;
  /** The interval of the search for sagas that are due, or whose lease has expired. Default 1 s. */
  pollMillis?: number;
  /** If a worker has not renewed its lease for this long, another instance may claim the saga. Default 15 s. */
  leaseMillis?: number;
  /** How many sagas this instance works on at a time. Default 8. */
  concurrency?: number;
  retry?: Partial<RetryOptions>;
  /** Called at every boundary of every run; for tests that kill the process there. */
  observe?: ((boundary: Boundary) => void) | undefined;
}

/**
 * Starts sagas and works on them. Any number of instances may share one store: one instance at a time works on a saga, and
 * another one continues if that instance has ended. Each instance looks for work once a second, and at once after `wake`.
 * `dispose` ends the work of this instance: running actions finish, and the other actions wait for the next start or for
 * another instance.
 */
export class Sagas {
  private readonly options: SagasOptions;
  private readonly definitions: ReadonlyMap<string, SagaDefinition>;
  private readonly metrics: SagaMetrics | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly running = new Set<Promise<void>>();
  private searching: Promise<void> | undefined;
  private searchAgain = false;
  private stopping = false;
  /** Whether the last search for work failed. */
  private isSearchFailing = false;

  constructor(options: SagasOptions) {
    this.options = options;
    this.definitions = new Map(options.definitions.map((definition) => [definition.kind, definition]));
    const { registry, store, log } = options;
    this.metrics = registry && sagaMetrics({ registry, store, kinds: [...this.definitions.keys()], log });
    this.timer = setInterval(() => this.wake(), options.pollMillis ?? 1_000);
    this.timer.unref();
  }

  /**
   * Starts a saga in the caller's unit of work: it is stored if and only if the unit's transaction commits, and its work
   * begins then. If there already is a saga of that kind and subject that is not UNDONE, it is returned and nothing is
   * started.
   */
  async start(plan: SagaPlan, unit: UnitOfWork): Promise<{ saga: Saga; isNew: boolean }> {
    const definition = this.definitions.get(plan.kind);
    if (!definition) throw new Error(`There is no definition of a saga "${plan.kind}".`);
    const saga = planned(plan, definition, uuidv7());
    if (await this.options.store.insert(saga, unit)) {
      await unit.afterCommit(() => this.wake());
      return { saga, isNew: true };
    }
    const [existing] = await this.options.store.findBySubjects(plan.kind, [plan.subject]);
    if (!existing) throw new Error(`The ${plan.kind} of ${plan.subject} exists but cannot be read.`);
    return { saga: existing, isNew: false };
  }

  find(id: string): Promise<Saga | undefined> {
    return this.options.store.find(id);
  }

  /** The newest saga of each subject, in no particular order. */
  findBySubjects(kind: string, subjects: readonly string[]): Promise<Saga[]> {
    return this.options.store.findBySubjects(kind, subjects);
  }

  /** Deletes the sagas of these subjects. */
  remove(kind: string, subjects: readonly string[]): Promise<void> {
    return this.options.store.remove(kind, subjects);
  }

  /**
   * Carries out a decision about a saga that could not be undone, as part of the caller's unit of work.
   * @throws NOT_FOUND; CONFLICT for a saga that does not wait for a decision
   */
  async resolve(id: string, resolution: Omit<Resolution, 'at'>, unit: UnitOfWork): Promise<Saga> {
    const saga = await this.options.store.change(id, unit, async (waiting) => {
      const definition = this.definitions.get(waiting.kind);
      if (!definition) throw new Error(`There is no definition of a saga "${waiting.kind}".`);
      resolve(waiting, definition, { ...resolution, at: new Date().toISOString() });
      await definition.onChange?.(waiting, unit);
    });
    if (!saga) throw notFound('saga', id);
    await unit.afterCommit(() => {
      this.metrics?.invalidate();
      this.wake();
    });
    return saga;
  }

  /** As `SagaStore.onChange`. */
  onChange(listener: (id: string | undefined) => void): () => void {
    return this.options.store.onChange(listener);
  }

  /** Searches for work at once. */
  wake(): void {
    if (this.stopping) return;
    if (this.searching) {
      this.searchAgain = true;
      return;
    }
    // The search has no part in the span of the request that wakes it, because it may end after the request.
    this.searching = withoutSpan(() => this.search()).finally(() => {
      this.searching = undefined;
      if (!this.searchAgain) return;
      this.searchAgain = false;
      this.wake();
    });
  }

  /** Starts no further action, and waits for the running ones. */
  async dispose(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.searching;
    await Promise.all(this.running);
  }

  private async search(): Promise<void> {
    const { store, log, concurrency = 8, leaseMillis = 15_000 } = this.options;
    const free = concurrency - this.running.size;
    if (free <= 0) return;
    const lease: Lease = { holder: randomUUID(), millis: leaseMillis };
    try {
      for (const saga of await store.claim([...this.definitions.keys()], free, lease)) {
        const work: Promise<void> = this.work(saga, lease).then((hasRun) => this.onWorkEnd(work, hasRun));
        this.running.add(work);
      }
      if (this.isSearchFailing) log.warn({}, 'the search for sagas that are due works again');
      this.isSearchFailing = false;
    } catch (error) {
      // The failure is logged once, not at every search, because the database may be unreachable for a long time.
      if (!this.isSearchFailing)
        log.warn({ err: error }, 'the search for sagas that are due fails; it is repeated');
      this.isSearchFailing = true;
    }
  }

  private onWorkEnd(work: Promise<void>, hasRun: boolean): void {
    this.running.delete(work);
    // If the clock of the database is ahead, a claimed saga is not due here yet. The timer then claims it again.
    if (hasRun) this.wake();
  }

  /** Never rejects. @returns whether an action was run or undone */
  private async work(saga: Saga, lease: Lease): Promise<boolean> {
    const { store, log, retry } = this.options;
    const definition = this.definitions.get(saga.kind);
    if (!definition) return false;
    let hasRun = false;
    let isLost = false;
    const heartbeat = setInterval(() => {
      void store
        .renew(saga.id, lease)
        .then((isHeld) => (isLost ||= !isHeld))
        .catch((error: unknown) =>
          log.warn({ err: error, saga: saga.id }, 'the lease of a saga was not renewed'),
        );
    }, lease.millis / 3);
    try {
      await workOn({
        saga,
        definition,
        store,
        lease,
        retry: { ...DEFAULT_RETRY, ...retry },
        log,
        observe: (boundary) => {
          hasRun = true;
          this.options.observe?.(boundary);
        },
        isStopping: () => this.stopping || isLost,
      });
      if (isSettled(saga)) this.metrics?.ended(saga);
    } catch (error) {
      // When the lease has expired, an instance claims the saga and continues from its stored state.
      log.warn({ err: error, saga: saga.id, kind: saga.kind }, 'the work on a saga was interrupted');
    } finally {
      clearInterval(heartbeat);
    }
    return hasRun;
  }
}
