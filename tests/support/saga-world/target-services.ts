import { conflict, notFound, PlatformError } from '#server/errors.ts';
import type { ActionCall, SagaAction } from '#server/saga/saga.ts';
import type { MadeUpAction, MadeUpSaga } from './made-up-sagas.ts';
import type { Scheduler, Worker } from './scheduler.ts';

/**
 * The time limit of a client. It is shorter than a lease, so that no request of an earlier worker arrives after a request
 * of the next worker.
 */
export const REQUEST_TIMEOUT_MILLIS = 3_000;
/** The shortest wait between two attempts, without the random part of the wait. */
export const SHORTEST_WAIT_MILLIS = 75;

/** One worker's view of a saga. */
export interface WorkerView {
  /** Whether its lease is valid for long enough to make a request. */
  mayAct(sagaId: string): boolean;
  isGivenUp(action: string): boolean;
  wasBegun(action: string): boolean;
}

type Phase = 'run' | 'undo';
type Answer = { made: string } | 'refused';

/**
 * The other services. They are idempotent by key, repeat the answer of a repeated key, and count the requests. By chance,
 * requests are lost, answered with an error, delivered twice, or carried out without an answer.
 */
export class TargetServices {
  /** Effects that exist and were not undone, `<saga>:<action>`. */
  readonly effects = new Set<string>();
  /** Requests of workers, by saga, action and phase. */
  readonly calls = new Map<string, number>();
  /** Actions whose undo was refused or failed. */
  readonly undoFailures = new Set<string>();
  /** Violations of the guarantees. */
  readonly violations: string[] = [];
  private readonly answers = new Map<string, Answer>();
  private readonly refusals = new Map<string, number>();
  private readonly calledAt = new Map<string, number>();
  private readonly inFlight = new Map<Worker, Set<() => void>>();
  private readonly scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** The code of an action for one worker. */
  action(saga: MadeUpSaga, action: MadeUpAction, worker: Worker, view: WorkerView): SagaAction {
    const request = async (phase: Phase, call: ActionCall, deliver: () => unknown) => {
      this.countCall(phase, call, action.name);
      // The simulation pauses no process between storing and sending for longer than its lease: only the other service could
      // detect that such a request is too late.
      if (!view.mayAct(call.sagaId)) throw noAnswer();
      this.checkPause(call, `${call.sagaId}:${action.name}:${phase}`);
      return this.overNetwork(worker, deliver);
    };
    return {
      service: 'target',
      run: (call) => request('run', call, () => this.make(saga, action, call)),
      ...(!action.goesWith && {
        undo: async (call) => {
          const id = `${call.sagaId}:${action.name}`;
          if (!view.wasBegun(action.name)) this.violations.push(`${id} was undone without having been begun`);
          try {
            await request('undo', call, () => this.undoEffect(saga, action, call, view));
          } catch (error) {
            if (!(error instanceof PlatformError && error.code === 'NOT_FOUND')) this.undoFailures.add(id);
            throw error;
          }
        },
      }),
    };
  }

  /** Delivers each open request of a crashed worker with a probability of one half. */
  crash(worker: Worker): void {
    for (const deliver of this.inFlight.get(worker) ?? []) if (this.scheduler.random.chance(0.5)) deliver();
    this.inFlight.delete(worker);
  }

  private countCall(phase: Phase, { sagaId }: ActionCall, name: string): void {
    const what = `${sagaId}:${name}:${phase}`;
    this.calls.set(what, (this.calls.get(what) ?? 0) + 1);
  }

  private checkPause({ idempotencyKey }: ActionCall, what: string): void {
    const before = this.calledAt.get(idempotencyKey);
    if (before !== undefined && this.scheduler.now - before < SHORTEST_WAIT_MILLIS)
      this.violations.push(`${what} was called again after ${this.scheduler.now - before} ms`);
    this.calledAt.set(idempotencyKey, this.scheduler.now);
  }

  private async overNetwork(worker: Worker, deliver: () => unknown): Promise<unknown> {
    const { random } = this.scheduler;
    const sentAt = this.scheduler.now;
    const arrive = (): void => {
      if (this.scheduler.now - sentAt > REQUEST_TIMEOUT_MILLIS) return;
      try {
        deliver();
      } catch {
        // The worker has crashed, so this answer is lost.
      }
    };
    const mine = this.inFlight.get(worker) ?? new Set();
    this.inFlight.set(worker, mine.add(arrive));
    await this.scheduler.gate(worker);
    mine.delete(arrive);
    if (this.scheduler.now - sentAt > REQUEST_TIMEOUT_MILLIS || random.chance(0.1)) throw noAnswer();
    if (random.chance(0.05)) throw new TypeError('a bug of ours');
    if (random.chance(0.1)) arrive(); // delivered twice
    const isAnswerLost = random.chance(0.1);
    try {
      const answer = deliver();
      await this.scheduler.gate(worker);
      if (isAnswerLost) throw noAnswer();
      return answer;
    } catch (error) {
      throw isAnswerLost ? noAnswer() : error;
    }
  }

  private make(saga: MadeUpSaga, { name, after, refusals }: MadeUpAction, call: ActionCall): Answer {
    const known = this.answers.get(call.idempotencyKey);
    if (known === 'refused') throw conflict('refused');
    if (known) return known;
    const id = `${call.sagaId}:${name}`;
    const refused = this.refusals.get(id) ?? 0;
    if (refused < refusals) {
      this.refusals.set(id, refused + 1);
      // If refusals are retried, the request has no key, because a key would return the stored refusal.
      if (saga.onRefusal === 'undo') this.answers.set(call.idempotencyKey, 'refused');
      throw conflict('refused');
    }
    if (this.effects.has(id)) this.violations.push(`${id} was made twice`);
    for (const other of after)
      if (!this.effects.has(`${call.sagaId}:${other}`))
        this.violations.push(`${id} was made before ${other} existed`);
    for (const other of after)
      if (call.outputs[other] === undefined) this.violations.push(`${id} did not get the output of ${other}`);
    this.effects.add(id);
    const answer = { made: name };
    this.answers.set(call.idempotencyKey, answer);
    return answer;
  }

  private undoEffect(
    saga: MadeUpSaga,
    { name, undo }: MadeUpAction,
    { sagaId, idempotencyKey }: ActionCall,
    view: WorkerView,
  ): void {
    const id = `${sagaId}:${name}`;
    const round = Number(/:undo:(\d+)$/.exec(idempotencyKey)?.[1] ?? 0);
    for (const later of saga.actions)
      if (
        saga.order === 'sequential' &&
        later.after.includes(name) &&
        !later.goesWith &&
        this.effects.has(`${sagaId}:${later.name}`) &&
        !view.isGivenUp(later.name)
      )
        this.violations.push(`${id} was undone before ${later.name}`);
    if (undo.kind !== 'fine' && round < undo.untilRound)
      throw undo.kind === 'refused' ? conflict('it is in use') : noAnswer();
    const isThere = this.effects.delete(id);
    for (const { goesWith, name: other } of saga.actions)
      if (goesWith === name) this.effects.delete(`${sagaId}:${other}`);
    if (!isThere) throw notFound('thing', name);
  }
}

const noAnswer = () => new PlatformError('UPSTREAM_UNAVAILABLE', 'no answer');
