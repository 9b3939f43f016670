import type { UnitOfWork } from '../unit-of-work.ts';

/**
 * A saga is work in several services, which no transaction can include. It consists of named actions. Each action is repeated
 * until its service has answered; if one of them cannot be completed, all actions are undone.
 *
 *     RUNNING -> DONE                   every action is done
 *     RUNNING -> UNDOING -> UNDONE      an action was refused, or the time limit has passed
 *                UNDOING -> UNDO_FAILED some actions cannot be undone; all others are undone
 *     UNDO_FAILED -> UNDOING            RETRY: the undoing is tried again
 *     UNDO_FAILED -> UNDONE             ACCEPT: the actions that were not undone stay done
 *
 * The plan is data in the record, and the code of an action is found by its name, so that a newer version of the program can
 * continue the saga.
 */
export interface Saga {
  id: string;
  /** The name of the saga's definition. */
  kind: string;
  /**
   * The object of the work, e.g. the id of a session. There is one saga of a kind and subject at a time, and none after one
   * that is DONE.
   */
  subject: string;
  status: SagaStatus;
  /** The common input of all actions, e.g. the user for whom they act. */
  context: unknown;
  actions: ActionRecord[];
  /** The result of a DONE saga, which the definition's `result` computes from the outputs. */
  result: unknown;
  /** Null until undoing has begun. */
  undoing: Undoing | null;
  startedAt: Date;
  finishedAt: Date | null;
}

/** The state of the undoing, and the decisions of users about it. */
export interface Undoing {
  /** The time when undoing began, or began again; ISO 8601. */
  since: string;
  /** How often RETRY was chosen. */
  round: number;
  /** The latest decisions, the oldest first. */
  resolutions: Resolution[];
}

/** RETRY: undoing is tried again. ACCEPT: the actions that were not undone stay done, and the saga becomes UNDONE. */
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
  /** The saga waits for a decision; no worker claims it. */
  UNDO_FAILED: 'UNDO_FAILED',
} as const;
export type SagaStatus = (typeof SagaStatus)[keyof typeof SagaStatus];

export const ActionStatus = { PENDING: 'PENDING', DONE: 'DONE', FAILED: 'FAILED', UNDONE: 'UNDONE' } as const;
export type ActionStatus = (typeof ActionStatus)[keyof typeof ActionStatus];

/** The progress of one action. */
export interface ActionRecord {
  /** The action's name, unique in the saga. */
  name: string;
  /** The name of the action's code in the definition. */
  action: string;
  /** The service that the action calls. */
  service: string;
  input: unknown;
  /** Names of the actions that must be DONE first. */
  after: string[];
  status: ActionStatus;
  /** How many attempts have begun. An attempt is counted before it runs, so that attempts that crash are counted, too. */
  attempts: number;
  /** The error of the last attempt. */
  error: ActionError | null;
  output: unknown;
  undoAttempts: number;
  /** Whether the action has been undone completely. */
  isUndone: boolean;
  /** The time of the first attempt to undo the action, ISO 8601; after RETRY, that of the first attempt since. */
  undoingSince?: string;
  /** The error of the last attempt to undo the action; absent in records of an older version. */
  undoError?: ActionError | null;
  /** Whether undoing the action was refused, or failed for too long, so that it waits for a decision. */
  isUndoGivenUp?: boolean;
  /** The earliest time of the next attempt, ISO 8601; null if it is due at once. */
  nextAttemptAt: string | null;
}

interface ActionError {
  code: string;
  message: string;
}

/** The input of an action's code. */
export interface ActionCall<Input = unknown, Output = unknown> {
  sagaId: string;
  /** The `Idempotency-Key` for writes in other services. It is the same for every repetition. */
  idempotencyKey: string;
  input: Input;
  /** For `undo`: the result of `run`; undefined if `run` returned none, although it may have succeeded. */
  output: Output | undefined;
  context: unknown;
  /** The results of earlier actions, by name; for `undo`, the results of all actions. */
  outputs: Readonly<Record<string, unknown>>;
  /** 1 for the first attempt. */
  attempt: number;
}

/**
 * The code of an action. If it throws a PlatformError of status 4xx except 401, 408 and 429, this is a refusal; after any
 * other error (time-out, no connection, 5xx, a programming error) the action is repeated.
 */
// oxlint-disable-next-line no-explicit-any -- input and output depend on each other inside each action only
export interface SagaAction<Input = any, Output = any> {
  /** The service that the action calls, e.g. `gym`. */
  service: string;
  /** Whether the output is personal data, which is removed when the saga has finished. Default: false. */
  isOutputPersonal?: boolean;
  /** Runs the action; returns a JSON value. It must be idempotent: a repetition with the same key must not do the work twice. */
  run(call: ActionCall<Input, Output>): Promise<Output>;
  /**
   * Undoes `run`. It is also called if `run` was refused or had no answer, so it must be harmless if nothing was done
   * (NOT_FOUND counts as undone). After a temporary failure it is repeated for `undoGiveUpAfterMillis`; after a refusal it is
   * not repeated: the other actions are undone, and the saga becomes UNDO_FAILED. Absent if there is nothing to undo, or if
   * the `undo` of another action does it.
   */
  undo?(call: ActionCall<Input, Output>): Promise<void>;
}

/** Declares an action with the types of its input and output. */
export const sagaAction = <Input, Output>(action: SagaAction<Input, Output>): SagaAction<Input, Output> =>
  action;

export interface SagaDefinition {
  kind: string;
  /** The code of the actions by the name in the records. A released name must stay for ever. */
  actions: Readonly<Record<string, SagaAction>>;
  /**
   * `sequential`: each action runs after all actions before it in the plan. `independent`: each runs after the actions in its
   * `after`. Default `sequential`.
   */
  order?: 'sequential' | 'independent';
  /** `undo`: the saga is undone. `retry`: the action is repeated for ever, and the others continue. Default `undo`. */
  onRefusal?: 'undo' | 'retry';
  /** The saga is undone if an action fails this long after the saga's start, or later. Default: actions are repeated for ever. */
  giveUpAfterMillis?: number;
  /** If an action still cannot be undone this long after undoing began, its undoing is given up. Default 24 h. */
  undoGiveUpAfterMillis?: number;
  /** The result of a DONE saga, from the outputs by name. Default: the outputs. */
  result?(outputs: Readonly<Record<string, unknown>>, saga: Saga): unknown;
  /** Whether inputs and context are removed when the saga has finished, because they may be personal data. Default: false. */
  forgetsInputs?: boolean;
  /**
   * Called for every change of a saga, in the transaction that stores the change, to keep other rows consistent with it, such
   * as the status of the saga's subject. If it throws, the change is rolled back and tried again.
   */
  onChange?(saga: Saga, unit: UnitOfWork): Promise<void>;
}

/** One action of a plan. */
export interface PlannedAction {
  name: string;
  /** The name of the action's code, which several actions may share. Default: `name`. */
  action?: string;
  input?: unknown;
  /** The names of the actions that must be DONE first. Default: depends on the definition's `order`. */
  after?: readonly string[];
}

export interface SagaPlan {
  kind: string;
  subject: string;
  context?: unknown;
  actions: readonly PlannedAction[];
}

/** The record of a new saga. @throws Error for a plan that the definition cannot run, which is a programming error */
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
          `"${name}" of a ${plan.kind} must be listed after the actions in its "after": ${after.join(', ')}.`,
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

/** Whether there is nothing to do for workers, because the saga has finished or waits for a decision. */
export const isSettled = (saga: Saga): boolean => isFinished(saga) || saga.status === 'UNDO_FAILED';

/** The time when the next action is due; far in the future if there is none. */
export function dueAt(saga: Saga): Date {
  const next = isSettled(saga)
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

/** The attempted actions that are neither undone nor given up, the last first. */
export const toUndo = ({ actions }: Saga): ActionRecord[] =>
  actions
    .filter(({ attempts, isUndone, isUndoGivenUp }) => attempts > 0 && !isUndone && !isUndoGivenUp)
    .toReversed();

/** Whether all actions that must come first are done. */
export const isReady = (action: ActionRecord, saga: Saga): boolean =>
  action.status === 'PENDING' &&
  action.after.every((name) => saga.actions.find((other) => other.name === name)?.status === 'DONE');
