import type { UnitOfWork } from '../unit-of-work.ts';

/**
 * A saga is work in several services that no transaction can span: named actions, each of which is repeated until its
 * service has answered, and undone if the whole cannot be completed.
 *
 *     RUNNING -> DONE                   every action is done
 *     RUNNING -> UNDOING -> UNDONE      an action was refused, or the time limit has passed
 *                UNDOING -> UNDO_FAILED some actions cannot be undone; all others are undone
 *     UNDO_FAILED -> UNDOING            RETRY: the undoing is tried again
 *     UNDO_FAILED -> UNDONE             ACCEPT: what is left stays
 *
 * The plan is data in the record, and the code is looked up by the action's name, so that a record of an older version of
 * the program still runs.
 */
export interface Saga {
  id: string;
  /** The name of its definition. */
  kind: string;
  /** What it is about, e.g. the id of a session. There is one saga of a kind and subject at a time, and none after a DONE one. */
  subject: string;
  status: SagaStatus;
  /** Input of all actions, e.g. the user for whom they act. */
  context: unknown;
  actions: ActionRecord[];
  /** The result of a DONE saga: what the definition makes of the outputs. */
  result: unknown;
  /** Null until undoing has begun. */
  undoing: Undoing | null;
  startedAt: Date;
  finishedAt: Date | null;
}

/** The state of the undoing, and the decisions of people about it. */
export interface Undoing {
  /** ISO 8601; when undoing began, or began again. */
  since: string;
  /** How often RETRY was chosen. */
  round: number;
  /** The latest decisions, the oldest first. */
  resolutions: Resolution[];
}

/** RETRY: undoing is tried again. ACCEPT: what is left stays, and the saga counts as UNDONE. */
export const ResolutionAction = { RETRY: 'RETRY', ACCEPT: 'ACCEPT' } as const;
export type ResolutionAction = (typeof ResolutionAction)[keyof typeof ResolutionAction];

/** A decision about a saga that could not be undone. */
export interface Resolution {
  action: ResolutionAction;
  note: string;
  /** The id of the user who decided; null after their account was deleted. */
  by: string | null;
  /** ISO 8601 */
  at: string;
}

export const SagaStatus = {
  RUNNING: 'RUNNING',
  UNDOING: 'UNDOING',
  DONE: 'DONE',
  UNDONE: 'UNDONE',
  /** It waits for a decision; no worker takes it. */
  UNDO_FAILED: 'UNDO_FAILED',
} as const;
export type SagaStatus = (typeof SagaStatus)[keyof typeof SagaStatus];

export const ActionStatus = { PENDING: 'PENDING', DONE: 'DONE', FAILED: 'FAILED', UNDONE: 'UNDONE' } as const;
export type ActionStatus = (typeof ActionStatus)[keyof typeof ActionStatus];

/** The progress of one action. */
export interface ActionRecord {
  /** Unique in its saga. */
  name: string;
  /** The name of its code in the definition. */
  action: string;
  /** The service that it calls. */
  service: string;
  input: unknown;
  /** Names of the actions that must be DONE first. */
  after: string[];
  status: ActionStatus;
  /** Attempts begun so far; counted before each attempt, so that attempts that crash are counted, too. */
  attempts: number;
  /** The error of the last attempt. */
  error: ActionError | null;
  output: unknown;
  undoAttempts: number;
  /** Whether it has been undone completely. */
  isUndone: boolean;
  /** The error of the last attempt to undo it; absent in records of an older version. */
  undoError?: ActionError | null;
  /** Whether undoing it was refused, or failed for too long: it waits for a decision. */
  isUndoGivenUp?: boolean;
  /** ISO 8601; the earliest time of the next attempt. */
  nextAttemptAt: string | null;
}

interface ActionError {
  code: string;
  message: string;
}

/** The input of an action's code. */
export interface ActionCall<Input = unknown, Output = unknown> {
  sagaId: string;
  /** The same for every repetition; used as the `Idempotency-Key` of writes in other services. */
  idempotencyKey: string;
  input: Input;
  /** The result of `run`, for `undo`; also undefined if `run` may have succeeded without an answer. */
  output: Output | undefined;
  context: unknown;
  /** The results of earlier actions, by name; for `undo`, the results of all actions. */
  outputs: Readonly<Record<string, unknown>>;
  /** 1 for the first attempt. */
  attempt: number;
}

/**
 * The code of an action. The error that it throws decides: a 4xx of the platform's table is a refusal; after any other
 * error (time-out, no connection, 429, 5xx, a programming error) the action is repeated.
 */
// oxlint-disable-next-line no-explicit-any -- input and output are tied together inside each action only
export interface SagaAction<Input = any, Output = any> {
  /** The service that it calls, e.g. `gym`. */
  service: string;
  /** Whether its output is dropped when the saga has finished. Default: it is kept. */
  isOutputPersonal?: boolean;
  /** Returns a JSON value. It must be idempotent: a repetition with the same key must not do the work twice. */
  run(call: ActionCall<Input, Output>): Promise<Output>;
  /**
   * Undoes `run`. It is called after every attempt, also after one that was refused or had no answer, so it must be harmless
   * if nothing was done (NOT_FOUND counts as undone). A temporary failure is repeated for `undoGiveUpAfterMillis`; a
   * refusal is not repeated: the other actions are undone, and the saga ends in UNDO_FAILED. Absent: there is nothing to
   * undo, or the undo of another action covers it.
   */
  undo?(call: ActionCall<Input, Output>): Promise<void>;
}

/** Types an action's input and output for its own code. */
export const sagaAction = <Input, Output>(action: SagaAction<Input, Output>): SagaAction<Input, Output> =>
  action;

export interface SagaDefinition {
  kind: string;
  /** By the name in the records; a released name must stay for ever. */
  actions: Readonly<Record<string, SagaAction>>;
  /** `sequential`: each action runs after all actions before it. `independent`: only after those in its `after`. Default `sequential`. */
  order?: 'sequential' | 'independent';
  /** `undo`: the saga is undone. `retry`: the action is repeated for ever, and the others continue. Default `undo`. */
  onRefusal?: 'undo' | 'retry';
  /** The saga is undone if it has not finished after this time. Default: never, it is repeated for ever. */
  giveUpAfterMillis?: number;
  /** An action that still cannot be undone this long after undoing began is given up. Default 24 h. */
  undoGiveUpAfterMillis?: number;
  /** The result of a DONE saga, from the outputs by name. Default: the outputs. */
  result?(outputs: Readonly<Record<string, unknown>>, saga: Saga): unknown;
  /** Whether inputs and context are dropped at the end: they may be personal data, and are not needed any more. Default: kept. */
  forgetsInputs?: boolean;
  /**
   * Called for every change, in the transaction that stores it, to keep other rows consistent with it, such as the status of
   * the saga's subject. If it throws, the change is rolled back and tried again.
   */
  onChange?(saga: Saga, unit: UnitOfWork): Promise<void>;
}

/** One action of a plan. */
export interface PlannedAction {
  name: string;
  /** Default: `name`. Several actions may share their code. */
  action?: string;
  input?: unknown;
  /** Default: according to the definition's `order`. */
  after?: readonly string[];
}

export interface SagaPlan {
  kind: string;
  subject: string;
  context?: unknown;
  actions: readonly PlannedAction[];
}

/** The record of a plan. @throws Error for a plan that the definition cannot run, which is a programming error */
export function planned(plan: SagaPlan, definition: SagaDefinition, id: string, now = new Date()): Saga {
  const names = plan.actions.map(({ name }) => name);
  if (new Set(names).size !== names.length)
    throw new Error(`The plan of a ${plan.kind} names an action twice: ${names.join(', ')}.`);
  return {
    id,
    kind: plan.kind,
    subject: plan.subject,
    status: plan.actions.length === 0 ? 'DONE' : 'RUNNING',
    context: plan.context ?? null,
    actions: plan.actions.map(({ name, action = name, input = null, after }, index) => {
      const code = definition.actions[action];
      if (!code) throw new Error(`The definition of a ${plan.kind} has no action "${action}".`);
      const earlier = names.slice(0, index);
      if (after?.some((each) => !earlier.includes(each)))
        throw new Error(
          `"${name}" of a ${plan.kind} must come after what it waits for: ${after.join(', ')}.`,
        );
      return {
        name,
        action,
        service: code.service,
        input,
        after: [...(after ?? (definition.order === 'independent' ? [] : earlier))],
        status: 'PENDING',
        attempts: 0,
        error: null,
        output: null,
        undoAttempts: 0,
        isUndone: false,
        nextAttemptAt: null,
      };
    }),
    result: null,
    undoing: null,
    startedAt: now,
    finishedAt: plan.actions.length === 0 ? now : null,
  };
}

/** The results of the DONE actions, by name. */
export const outputsOf = (saga: Saga): Record<string, unknown> =>
  Object.fromEntries(
    saga.actions.filter(({ status }) => status === 'DONE').map(({ name, output }) => [name, output]),
  );

export const isFinished = ({ status }: Saga): boolean => status === 'DONE' || status === 'UNDONE';

/** Whether there is nothing to do, at all or before a decision. */
export const isAtRest = (saga: Saga): boolean => isFinished(saga) || saga.status === 'UNDO_FAILED';

/** When the next action is due. */
export function dueAt(saga: Saga): Date {
  const next = isAtRest(saga)
    ? []
    : saga.status === 'UNDOING'
      ? toUndo(saga).slice(0, 1)
      : saga.actions.filter((each) => isReady(each, saga));
  return new Date(
    Math.min(FAR_FUTURE, ...next.map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? EPOCH))),
  );
}

const EPOCH = new Date(0).toISOString();
const FAR_FUTURE = Date.parse('9999-01-01T00:00:00Z');

/** The actions that were attempted, may have done something and can still be undone, the last first. */
export const toUndo = ({ actions }: Saga): ActionRecord[] =>
  actions
    .filter(({ attempts, isUndone, isUndoGivenUp }) => attempts > 0 && !isUndone && !isUndoGivenUp)
    .toReversed();

/** Whether all actions that must come first are done. */
export const isReady = (action: ActionRecord, saga: Saga): boolean =>
  action.status === 'PENDING' &&
  action.after.every((name) => saga.actions.find((other) => other.name === name)?.status === 'DONE');
