import type { Logger } from '../observability/logger.ts';
import { PlatformError } from '../errors.ts';
import { errorOf, isRefusal, waitAfter, type RetryOptions } from './retry.ts';
import {
  isSettled,
  isReady,
  outputsOf,
  toUndo,
  type ActionCall,
  type ActionRecord,
  type Saga,
  type SagaAction,
  type SagaDefinition,
} from './saga.ts';
import { beginUndoing, endUndoing, finish, isUndoingTooLong } from './undoing.ts';

/**
 * A point in one attempt of an action: `starting` when the attempt is stored and about to run, `ran` when it has ended, and
 * `saved` when its result is stored.
 */
export interface Boundary {
  sagaId: string;
  action: string;
  moment: 'starting' | 'ran' | 'saved';
  phase: 'run' | 'undo';
}

export interface SagaRunOptions {
  saga: Saga;
  definition: SagaDefinition;
  /** Stores the saga's current state. If it throws, because another worker has the saga or the database fails, the run ends. */
  save(): Promise<void>;
  /** Whether no further action may be started. */
  isStopping(): boolean;
  retry: RetryOptions;
  log: Logger;
  /** Called at every boundary; for tests that kill the process there. */
  observe(boundary: Boundary): void;
  /** Milliseconds since 1970. Default: the clock. */
  now?(): number;
}

/**
 * Runs every action of a saga that is due, until the saga is finished, no action is due, or `isStopping`. The saga is stored
 * before and after every attempt, so that another process can continue after a crash at any point.
 */
export async function runSaga(options: SagaRunOptions): Promise<void> {
  const { saga, isStopping } = options;
  // Parallel actions change the same record, so they store it one after the other.
  let saving = Promise.resolve();
  let isOver = false;
  const saveUnlessOver = async (): Promise<void> => {
    // A parallel action has already stored the end and released the saga.
    if (isOver) return;
    const isLast = isSettled(saga);
    await options.save();
    isOver = isLast;
  };
  const save = (): Promise<void> => {
    const next = saving.then(saveUnlessOver);
    saving = next.catch(() => undefined);
    return next;
  };
  const run: Run = { now: Date.now, ...options, save };
  while (saga.status === 'RUNNING' && !isStopping()) {
    const due = saga.actions.filter((action) => isReady(action, saga) && isDue(run, action));
    if (due.length === 0) return;
    // Waits for all actions even if one throws: none may still run when undoing begins, or when another worker continues.
    const results = await Promise.allSettled(due.map((action) => attempt(run, action)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
  while (saga.status === 'UNDOING' && !isStopping()) {
    const [last] = toUndo(saga);
    if (!last || !isDue(run, last)) return;
    await undo(run, last);
  }
}

type Run = SagaRunOptions & { now(): number };

const isDue = ({ now }: Run, { nextAttemptAt }: ActionRecord): boolean =>
  nextAttemptAt === null || Date.parse(nextAttemptAt) <= now();

async function attempt(run: Run, action: ActionRecord): Promise<void> {
  const { saga, definition } = run;
  action.attempts += 1;
  // The next attempt is set before the action runs: if the action crashes the process, it is not run again at once.
  setNextAttempt(run, action, action.attempts);
  await reach(run, action, 'starting', 'run');
  try {
    action.output = (await codeOf(run, action).run(callOf(run, action, 'run'))) ?? null;
    Object.assign(action, { status: 'DONE', error: null, nextAttemptAt: null });
  } catch (error) {
    action.error = errorOf(error);
    if (!isRefusal(error)) run.log.warn({ err: error, ...nameOf(run, action) }, 'an action of a saga failed');
    if (mustUndo(run, error)) {
      action.status = 'FAILED';
      beginUndoing(saga, new Date(run.now()));
    } else setNextAttempt(run, action, action.attempts);
  }
  run.observe({ sagaId: saga.id, action: action.name, moment: 'ran', phase: 'run' });
  if (saga.actions.every(({ status }) => status === 'DONE')) {
    const outputs = outputsOf(saga);
    const result = definition.result ? (definition.result(outputs, saga) ?? null) : outputs;
    finish(saga, definition, { status: 'DONE', result, at: new Date(run.now()) });
  }
  await reach(run, action, 'saved', 'run');
}

function mustUndo({ saga, definition, now }: Run, error: unknown): boolean {
  if (isRefusal(error)) return (definition.onRefusal ?? 'undo') === 'undo';
  const { giveUpAfterMillis } = definition;
  return giveUpAfterMillis !== undefined && now() - saga.startedAt.getTime() >= giveUpAfterMillis;
}

async function undo(run: Run, action: ActionRecord): Promise<void> {
  const { saga, definition } = run;
  action.undoAttempts += 1;
  action.undoingSince ??= new Date(run.now()).toISOString();
  setNextAttempt(run, action, action.undoAttempts);
  await reach(run, action, 'starting', 'undo');
  try {
    await codeOf(run, action).undo?.(callOf(run, action, 'undo'));
    setUndone(action);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') setUndone(action);
    else {
      action.undoError = errorOf(error);
      run.log.warn({ err: error, ...nameOf(run, action) }, 'an action of a saga could not be undone');
      if (isRefusal(error) || isUndoingTooLong(action, definition, run.now()))
        Object.assign(action, { isUndoGivenUp: true, nextAttemptAt: null });
      else setNextAttempt(run, action, action.undoAttempts);
    }
  }
  run.observe({ sagaId: saga.id, action: action.name, moment: 'ran', phase: 'undo' });
  if (toUndo(saga).length === 0) endUndoing(saga, definition, new Date(run.now()));
  await reach(run, action, 'saved', 'undo');
}

function setUndone(action: ActionRecord): void {
  Object.assign(action, { isUndone: true, undoError: null, nextAttemptAt: null });
  if (action.status === 'DONE' || action.status === 'PENDING')
    Object.assign(action, { status: 'UNDONE', error: null });
}

/** Stores the saga, and reports the boundary. */
async function reach(run: Run, action: ActionRecord, moment: 'starting' | 'saved', phase: Boundary['phase']) {
  await run.save();
  run.observe({ sagaId: run.saga.id, action: action.name, moment, phase });
}

function setNextAttempt({ retry, now }: Run, action: ActionRecord, failures: number): void {
  action.nextAttemptAt = new Date(now() + waitAfter(failures, retry)).toISOString();
}

/** @throws Error if this version of the program has no code for the action, which then waits for a version that has it */
function codeOf({ definition }: Run, { action }: ActionRecord): SagaAction {
  const code = definition.actions[action];
  if (!code) throw new Error(`This version has no action "${action}" of a ${definition.kind}.`);
  return code;
}

function callOf({ saga }: Run, action: ActionRecord, phase: Boundary['phase']): ActionCall {
  return {
    sagaId: saga.id,
    idempotencyKey: `${saga.id}:${action.name}${phase === 'undo' ? `:undo${roundOf(saga)}` : ''}`,
    input: action.input,
    output: action.output ?? undefined,
    context: saga.context,
    // The undo of an action may need the output of a later action, which has been undone already.
    outputs: phase === 'undo' ? everyOutputOf(saga) : outputsOf(saga),
    attempt: phase === 'undo' ? action.undoAttempts : action.attempts,
  };
}

const everyOutputOf = ({ actions }: Saga): Record<string, unknown> =>
  Object.fromEntries(
    actions.filter(({ output }) => output !== null).map(({ name, output }) => [name, output]),
  );

/**
 * The part of an idempotency key that is new for each RETRY: with the same key, the other service would return the stored
 * refusal again.
 */
const roundOf = ({ undoing }: Saga): string => (undoing?.round ? `:${undoing.round}` : '');

const nameOf = ({ saga }: Run, { name, attempts }: ActionRecord) => ({
  saga: saga.id,
  kind: saga.kind,
  action: name,
  attempts,
});
