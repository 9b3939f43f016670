import { randomUUID } from 'node:crypto';
import { uuidv7 } from '#server/ids.ts';
import type { Logger } from '#server/observability/logger.ts';
import { isSettled, planned, type Saga, type SagaDefinition } from '#server/saga/saga.ts';
import type { Lease, SagaStore } from '#server/saga/saga-store.ts';
import { workOn } from '#server/saga/saga-work.ts';
import { resolve } from '#server/saga/undoing.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { randomFrom } from '../graph-doubles/random.ts';
import { TargetServices, REQUEST_TIMEOUT_MILLIS, type WorkerView } from './target-services.ts';
import { madeUpSaga, planOf, type MadeUpSaga } from './made-up-sagas.ts';
import { Scheduler, type Worker } from './scheduler.ts';

const LEASE_MILLIS = 10_000;
const UNDO_GIVE_UP_MILLIS = 30_000;
const MAX_STEPS = 20_000;
const MAX_RESOLUTIONS = 2;

export interface SagaWorldOptions {
  seed: string;
  log: Logger;
  /** The store under test; `now` is the simulated clock. */
  storeOf(now: () => number): SagaStore;
  unitOf(): UnitOfWork;
}

interface Known {
  saga: MadeUpSaga;
  id: string;
  /** Statuses in the order in which they were stored. */
  statuses: string[];
  resolutions: number;
}

/** Sagas, workers that crash and lose their leases, and services that fail, all derived from one seed. */
export class SagaWorld {
  private readonly options: SagaWorldOptions;
  private readonly scheduler: Scheduler;
  private readonly targets: TargetServices;
  private readonly store: SagaStore;
  private readonly sagas: Known[] = [];
  private readonly leases = new Map<string, { worker: Worker; lease: Lease; until: number }>();
  /** The holders of leases that could no longer save their saga. */
  private readonly evicted = new Set<string>();
  private workers: Worker[] = [];
  private nextWorker = 1;

  constructor(options: SagaWorldOptions) {
    this.options = options;
    this.scheduler = new Scheduler(randomFrom(options.seed));
    this.targets = new TargetServices(this.scheduler);
    this.store = options.storeOf(() => this.scheduler.now);
  }

  /** Runs until every saga has ended; returns everything that is wrong. */
  async run(): Promise<string[]> {
    const { random } = this.scheduler;
    const count = 1 + random.below(2);
    for (let index = 0; index < count; index += 1)
      await this.add(madeUpSaga(random, `kind-${index}-${randomUUID()}`));
    this.workers = [this.newWorker(), this.newWorker()];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      await this.scheduler.quiet();
      if (this.targets.violations.length > 0) break;
      if (step % 25 === 0 && (await this.isOver())) return this.targets.violations;
      await this.step();
    }
    for (const worker of this.workers) this.scheduler.crash(worker);
    return this.targets.violations.length > 0 ? this.targets.violations : [`no end after ${MAX_STEPS} steps`];
  }

  private async add(saga: MadeUpSaga): Promise<void> {
    const known: Known = { saga, id: uuidv7(), statuses: [], resolutions: 0 };
    const record = planned(
      planOf(saga, randomUUID()),
      this.definitionOf(known, this.newWorker(), undefined),
      known.id,
      new Date(this.scheduler.now),
    );
    this.sagas.push(known);
    await this.store.insert(record, this.options.unitOf());
  }

  private newWorker(): Worker {
    this.nextWorker += 1;
    return { id: this.nextWorker, isAlive: true, isIdle: true };
  }

  private async step(): Promise<void> {
    const { random } = this.scheduler;
    const dice = random.below(100);
    if (dice < 65 && this.scheduler.openOne()) return;
    if (dice < 85) return this.claim(random.pick(this.workers));
    if (dice < 97) {
      this.scheduler.now += random.pick([20, 100, 500, 2_000, 11_000]);
      return;
    }
    const crashed = random.pick(this.workers);
    this.scheduler.crash(crashed);
    this.targets.crash(crashed);
    this.workers = this.workers.map((worker) => (worker === crashed ? this.newWorker() : worker));
  }

  private async claim(worker: Worker): Promise<void> {
    if (!worker.isIdle) return;
    // A store in a database measures leases with the real clock, so leases that have expired in simulated time are ended
    // here.
    for (const [id, { lease, until }] of this.leases)
      if (until <= this.scheduler.now) await this.store.renew(id, { ...lease, millis: 0 });
    const lease: Lease = { holder: randomUUID(), millis: LEASE_MILLIS };
    const kinds = this.sagas.map(({ saga }) => saga.kind);
    const [saga] = await this.store.claim(kinds, 1, lease);
    if (!saga) return;
    const before = this.leases.get(saga.id);
    if (before && before.until > this.scheduler.now)
      this.targets.violations.push(`${saga.id} was claimed during the lease of another worker`);
    this.hold(saga.id, worker, lease);
    worker.isIdle = false;
    void this.work(worker, saga, lease).finally(() => {
      worker.isIdle = true;
    });
  }

  private async work(worker: Worker, saga: Saga, lease: Lease): Promise<void> {
    const known = this.sagas.find(({ id }) => id === saga.id);
    if (!known) return;
    try {
      await workOn({
        saga,
        definition: this.definitionOf(known, worker, { lease, saga }),
        store: this.storeOf(worker, lease),
        lease,
        retry: {
          firstMillis: 100,
          capMillis: 1_000,
          random: () => this.scheduler.random.below(1_000) / 1_000,
        },
        log: this.options.log,
        isStopping: () => false,
        observe: () => undefined,
        now: () => this.scheduler.now,
      });
    } catch {
      // Interrupted: another worker takes the saga over when the lease has expired.
    }
  }

  /** The store of one worker: before and after each call, other workers can act. */
  private storeOf(worker: Worker, lease: Lease): SagaStore {
    return Object.assign(Object.create(this.store) as SagaStore, {
      save: async (saga, mine, within) => {
        await this.scheduler.gate(worker);
        if (this.scheduler.random.chance(0.02)) throw new Error('the database does not answer');
        const isSaved = await this.scheduler.real(() => this.store.save(saga, mine, within));
        if (!isSaved) this.evicted.add(lease.holder);
        else if (isSettled(saga)) this.leases.delete(saga.id);
        else this.hold(saga.id, worker, lease);
        await this.scheduler.gate(worker);
        return isSaved;
      },
      release: async (saga, mine) => {
        await this.scheduler.gate(worker);
        await this.scheduler.real(() => this.store.release(saga, mine));
        if (this.leases.get(saga.id)?.lease.holder === lease.holder) this.leases.delete(saga.id);
      },
    } satisfies Partial<SagaStore>);
  }

  private hold(id: string, worker: Worker, lease: Lease): void {
    this.leases.set(id, { worker, lease, until: this.scheduler.now + LEASE_MILLIS });
  }

  private definitionOf(
    known: Known,
    worker: Worker,
    work: { lease: Lease; saga: Saga } | undefined,
  ): SagaDefinition {
    const { saga } = known;
    const holder = work?.lease.holder ?? '';
    const view: WorkerView = {
      mayAct: (id) => {
        if (this.evicted.has(holder))
          this.targets.violations.push(`${id} was worked on by a worker that had lost its lease`);
        const held = this.leases.get(id);
        // The heartbeat of a process that is not paused keeps at least two thirds of the lease.
        return held?.lease.holder === holder && held.until - this.scheduler.now > REQUEST_TIMEOUT_MILLIS;
      },
      wasBegun: (name) =>
        work?.saga.actions.some((action) => action.name === name && action.attempts > 0) ?? false,
      isGivenUp: (name) =>
        work?.saga.actions.some((action) => action.name === name && action.isUndoGivenUp) ?? false,
    };
    return {
      kind: saga.kind,
      order: saga.order,
      onRefusal: saga.onRefusal,
      undoGiveUpAfterMillis: UNDO_GIVE_UP_MILLIS,
      ...(saga.giveUpAfterMillis !== undefined && { giveUpAfterMillis: saga.giveUpAfterMillis }),
      actions: Object.fromEntries(
        saga.actions.map((action) => [action.name, this.targets.action(saga, action, worker, view)]),
      ),
      onChange: async ({ status }) => {
        if (this.scheduler.random.chance(0.01)) throw new Error('its subject cannot be changed now');
        known.statuses.push(status);
      },
    };
  }

  /** Checks the settled sagas, and decides about those that wait for a decision. */
  private async isOver(): Promise<boolean> {
    let isOver = true;
    for (const known of this.sagas) {
      const saga = await this.scheduler.real(() => this.store.find(known.id));
      if (!saga || !isSettled(saga)) {
        isOver = false;
        continue;
      }
      this.targets.violations.push(...this.wrongWith(known, saga));
      if (saga.status !== 'UNDO_FAILED' || known.resolutions >= MAX_RESOLUTIONS) continue;
      known.resolutions += 1;
      await this.decide(known, saga);
      isOver = false;
    }
    return isOver;
  }

  private async decide(known: Known, { id }: Saga): Promise<void> {
    const action = this.scheduler.random.chance(0.7) ? 'RETRY' : 'ACCEPT';
    const at = new Date(this.scheduler.now).toISOString();
    await this.store.change(id, this.options.unitOf(), async (waiting) => {
      resolve(
        waiting,
        { kind: known.saga.kind, actions: {} },
        { action, note: 'decided', by: randomUUID(), at },
      );
      known.statuses.push(waiting.status);
    });
  }

  private wrongWith(known: Known, saga: Saga): string[] {
    const { effects, undoFailures, calls } = this.targets;
    const wrong: string[] = [];
    const report = (what: string) => wrong.push(`${known.saga.order} ${saga.status} ${saga.id}: ${what}`);
    const exists = (name: string) => effects.has(`${saga.id}:${name}`);
    const byName = new Map(saga.actions.map((action) => [action.name, action]));
    const isGivenUp = (name: string | undefined) =>
      name !== undefined && byName.get(name)?.isUndoGivenUp === true;
    const isAccepted = saga.status === 'UNDONE' && saga.undoing?.resolutions.at(-1)?.action === 'ACCEPT';
    for (const { name, goesWith } of known.saga.actions) {
      if (saga.status === 'DONE' && !exists(name)) report(`${name} is missing`);
      if (saga.status === 'UNDONE' && !isAccepted && exists(name)) report(`${name} still exists`);
      const mayExist = isGivenUp(name) || isGivenUp(goesWith);
      if ((saga.status === 'UNDO_FAILED' || isAccepted) && exists(name) && !mayExist)
        report(`${name} still exists`);
      if (isGivenUp(name) && !undoFailures.has(`${saga.id}:${name}`))
        report(`${name} was given up, although no undo of it failed`);
      const action = byName.get(name);
      for (const [phase, attempts] of [
        ['run', action?.attempts ?? 0],
        ['undo', action?.undoAttempts ?? 0],
      ] as const) {
        const seen = calls.get(`${saga.id}:${name}:${phase}`) ?? 0;
        if (attempts < seen) report(`${name}: ${attempts} attempts of ${seen} to ${phase} are stored`);
      }
    }
    if (
      saga.status !== 'DONE' &&
      known.saga.onRefusal === 'retry' &&
      known.saga.giveUpAfterMillis === undefined
    )
      report('it ended, although its refusals are retried without a limit');
    if (saga.status === 'UNDO_FAILED' && !saga.actions.some(({ isUndoGivenUp }) => isUndoGivenUp))
      report('nothing was given up');
    if (saga.actions.some(({ status, error }) => status === 'FAILED' && !error))
      report('a failure has no reason');
    const line = known.statuses.join(' ');
    if (!/^(RUNNING )*((DONE)|(UNDOING ?)*((UNDO_FAILED) (UNDOING ?)*)*(UNDONE|UNDO_FAILED))$/.test(line))
      report(`its statuses were ${line}`);
    return wrong;
  }
}
