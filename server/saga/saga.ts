import type { UnitOfWork } from '../unit-of-work.ts';

/**
 * A saga is work that several services must do and no transaction can span: named actions, each of which is repeated
 * until its service has answered, and undone where the whole cannot be.
 *
 *     RUNNING -> DONE                   every action is done
 *     RUNNING -> UNDOING -> UNDONE      one was refused, or the time to give up came
 *                UNDOING -> UNDO_FAILED some of it cannot be undone; everything else is
 *     UNDO_FAILED -> UNDOING            somebody has it tried again
 *     UNDO_FAILED -> UNDONE             somebody accepts what is left
 *
 * What is to be done is data in the record; the code is looked up by the action's name, so that a record which an
 * older version of the program has written still runs.
 */
export interface Saga {
  id: string;
  /** Name of its definition. */
  kind: string;
  /** What it is about, e.g. the id of a session: of one kind and subject there is one at a time, and none after a DONE one. */
  subject: string;
  status: SagaStatus;
  /** What all actions share, e.g. in whose name they act. */
  context: unknown;
  actions: ActionRecord[];
  /** Of a DONE one: what the definition makes of the outputs. */
  result: unknown;
  /** Null until undoing has begun. */
  undoing: Undoing | null;
  startedAt: Date;
  finishedAt: Date | null;
}

/** How a saga is undone, and what people have decided about it. */
export interface Undoing {
  /** ISO 8601; when it began, or began again. */
  since: string;
  /** How often somebody has had it tried again. */
  round: number;
  /** The latest decisions about what could not be undone, the oldest first. */
  resolutions: Resolution[];
}

/** RETRY: it is tried again. ACCEPT: what is left stays, and the saga counts as UNDONE. */
export const ResolutionAction = { RETRY: 'RETRY', ACCEPT: 'ACCEPT' } as const;
export type ResolutionAction = (typeof ResolutionAction)[keyof typeof ResolutionAction];

/** What somebody has decided about a saga that could not be undone. */
export interface Resolution {
  action: ResolutionAction;
  note: string;
  /** Id of the user; null once their account was deleted. */
  by: string | null;
  /** ISO 8601 */
  at: string;
}

export const SagaStatus = {
  RUNNING: 'RUNNING',
  UNDOING: 'UNDOING',
  DONE: 'DONE',
  UNDONE: 'UNDONE',
  /** It waits for somebody's decision; nothing works on it. */
  UNDO_FAILED: 'UNDO_FAILED',
} as const;
export type SagaStatus = (typeof SagaStatus)[keyof typeof SagaStatus];

export const ActionStatus = { PENDING: 'PENDING', DONE: 'DONE', FAILED: 'FAILED', UNDONE: 'UNDONE' } as const;
export type ActionStatus = (typeof ActionStatus)[keyof typeof ActionStatus];

/** How far an action has come. */
export interface ActionRecord {
  /** Unique in its saga. */
  name: string;
  /** Which code runs it. */
  action: string;
  /** Which service it concerns. */
  service: string;
  input: unknown;
  /** Names of the actions that must be DONE before. */
  after: string[];
  status: ActionStatus;
  /** Begun so far; counted before each, so that a crash leaves its trace. */
  attempts: number;
  /** Why the last attempt came to nothing. */
  error: ActionError | null;
  output: unknown;
  undoAttempts: number;
  /** Whether nothing of it is left. */
  isUndone: boolean;
  /** Why the last attempt to undo it came to nothing; absent in records of an older version. */
  undoError?: ActionError | null;
  /** Whether it was refused, or failed for too long, to be undone: it waits for somebody's decision. */
  isUndoGivenUp?: boolean;
  /** ISO 8601; not before then the next attempt. */
  nextAttemptAt: string | null;
}

export interface ActionError {
  code: string;
  message: string;
}

/** What an action gets to work with. */
export interface ActionCall<Input = unknown, Output = unknown> {
  sagaId: string;
  /** The same at every repetition: for the `Idempotency-Key` of what is written elsewhere. */
  idempotencyKey: string;
  input: Input;
  /** What `run` returned, for `undo`; undefined also where it may have run but its answer never came. */
  output: Output | undefined;
  context: unknown;
  /** What the actions before have returned, by name; for `undo`, what all actions have returned. */
  outputs: Readonly<Record<string, unknown>>;
  /** 1 at the first. */
  attempt: number;
}

/**
 * The code of an action. What it throws decides: a 4xx of the platform's table is a refusal; anything else (time-out,
 * no connection, 429, 5xx, a programming error) may pass, and the action is repeated.
 */
// oxlint-disable-next-line no-explicit-any -- input and output are tied together inside each action only
export interface SagaAction<Input = any, Output = any> {
  /** Which service it concerns, e.g. `gym`. */
  service: string;
  /** Whether its output is dropped when the saga is over. Default: it is kept. */
  isOutputPersonal?: boolean;
  /** Returns what JSON can hold; repeated with the same key it must not do its work twice. */
  run(call: ActionCall<Input, Output>): Promise<Output>;
  /**
   * Takes back what `run` did. It is called after every attempt, also one that was refused or whose answer never
   * came, so it must be harmless where nothing was done (NOT_FOUND counts as undone). A failure that may pass is
   * repeated for `undoGiveUpAfterMillis`; a refusal is not: the other actions are undone, and the saga ends in UNDO_FAILED.
   * Absent: there is nothing to take back, or another action's undoing does it.
   */
  undo?(call: ActionCall<Input, Output>): Promise<void>;
}

/** Types an action's input and output for its own code. */
export const sagaAction = <Input, Output>(action: SagaAction<Input, Output>): SagaAction<Input, Output> =>
  action;

export interface SagaDefinition {
  kind: string;
  /** By the name that is in the records; a released name stays for ever. */
  actions: Readonly<Record<string, SagaAction>>;
  /** `in-turn`: each action after all before it. `independent`: each for itself, but for what its plan says. Default `in-turn`. */
  order?: 'in-turn' | 'independent';
  /** `undo`: the saga is undone. `retry`: the action is repeated for ever, the others go on. Default `undo`. */
  onRefusal?: 'undo' | 'retry';
  /** Undo what has not come to an end after so long. Default: never, it is tried for ever. */
  giveUpAfterMillis?: number;
  /** An action that fails to be undone so long after undoing began is given up. Default 24 h. */
  undoGiveUpAfterMillis?: number;
  /** What a DONE saga leaves, from the outputs by name. Default: the outputs. */
  result?(outputs: Readonly<Record<string, unknown>>, saga: Saga): unknown;
  /** Whether inputs and context are dropped at the end: they may be personal, and are of no use any more. Default: kept. */
  forgetsInputs?: boolean;
  /**
   * Called with every change in the transaction that stores it: for what must be true together with it, such as the
   * status of the saga's subject. What it throws undoes the change, which is then tried again.
   */
  onChange?(saga: Saga, unit: UnitOfWork): Promise<void>;
}

/** One line of a plan. */
export interface PlannedAction {
  name: string;
  /** Default: `name`. Several actions may share their code. */
  action?: string;
  input?: unknown;
  /** Default: as the definition's `order` says. */
  after?: readonly string[];
}

export interface SagaPlan {
  kind: string;
  subject: string;
  context?: unknown;
  actions: readonly PlannedAction[];
}

/** The record of a plan. @throws Error for a plan that no definition can run: a mistake in our own code. */
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
      if (!code) throw new Error(`A ${plan.kind} knows no action "${action}".`);
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

/** What the DONE actions have returned, by name. */
export const outputsOf = (saga: Saga): Record<string, unknown> =>
  Object.fromEntries(
    saga.actions.filter(({ status }) => status === 'DONE').map(({ name, output }) => [name, output]),
  );

export const isFinished = ({ status }: Saga): boolean => status === 'DONE' || status === 'UNDONE';

/** Whether nothing is to be done before somebody decides, or at all. */
export const isAtRest = (saga: Saga): boolean => isFinished(saga) || saga.status === 'UNDO_FAILED';

/** When there is something to do next. */
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

/** What was attempted, may have left something and can still be undone, the last first. */
export const toUndo = ({ actions }: Saga): ActionRecord[] =>
  actions
    .filter(({ attempts, isUndone, isUndoGivenUp }) => attempts > 0 && !isUndone && !isUndoGivenUp)
    .toReversed();

/** Whether everything that must be done before is done. */
export const isReady = (action: ActionRecord, saga: Saga): boolean =>
  action.status === 'PENDING' &&
  action.after.every((name) => saga.actions.find((other) => other.name === name)?.status === 'DONE');
