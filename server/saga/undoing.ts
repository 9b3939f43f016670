import { DAY_MILLIS } from '../durations.ts';
import { conflict } from '../errors.ts';
import type { ActionRecord, Resolution, Saga, SagaDefinition } from './saga.ts';

const GIVE_UP_AFTER_MILLIS = DAY_MILLIS;
const KEPT_RESOLUTIONS = 20;

export function beginUndoing(saga: Saga, now: Date): void {
  saga.status = 'UNDOING';
  saga.undoing = { round: 0, resolutions: [], ...saga.undoing, since: now.toISOString() };
  for (const action of saga.actions) action.nextAttemptAt = null;
}

/** Whether an action that cannot be undone is given up now. For a saga of an older version the time starts now. */
export function isUndoingTooLong(
  saga: Saga,
  { undoGiveUpAfterMillis = GIVE_UP_AFTER_MILLIS }: SagaDefinition,
  now: number,
): boolean {
  saga.undoing ??= { since: new Date(now).toISOString(), round: 0, resolutions: [] };
  return now - Date.parse(saga.undoing.since) >= undoGiveUpAfterMillis;
}

/** Called when everything that can be undone is undone: the saga becomes UNDONE, or waits for a decision about the rest. */
export function endUndoing(saga: Saga, definition: SagaDefinition, now: Date): void {
  if (!saga.actions.some(isLeft)) {
    finish(saga, definition, { status: 'UNDONE', result: null, at: now });
    return;
  }
  saga.status = 'UNDO_FAILED';
  // A retry of the undoing needs only the inputs of the actions that are left.
  if (definition.forgetsInputs) for (const action of saga.actions) if (!isLeft(action)) action.input = null;
}

/**
 * Carries out a decision about a saga that could not be undone.
 * @throws CONFLICT for a saga that does not wait for a decision
 */
export function resolve(saga: Saga, definition: SagaDefinition, resolution: Resolution): void {
  if (saga.status !== 'UNDO_FAILED')
    throw conflict(`Expected a saga that could not be undone (UNDO_FAILED); this one is ${saga.status}.`);
  const { round = 0, resolutions = [], since = resolution.at } = saga.undoing ?? {};
  const kept = [...resolutions, resolution].slice(-KEPT_RESOLUTIONS);
  const at = new Date(resolution.at);
  if (resolution.action === 'ACCEPT') {
    saga.undoing = { since, round, resolutions: kept };
    finish(saga, definition, { status: 'UNDONE', result: null, at });
    return;
  }
  saga.undoing = { since, round: round + 1, resolutions: kept };
  for (const action of saga.actions) action.isUndoGivenUp = false;
  beginUndoing(saga, at);
}

export function finish(
  saga: Saga,
  { actions, forgetsInputs }: SagaDefinition,
  { status, result, at }: { status: 'DONE' | 'UNDONE'; result: unknown; at: Date },
): void {
  Object.assign(saga, { status, result, finishedAt: at });
  for (const action of saga.actions) if (actions[action.action]?.isOutputPersonal) action.output = null;
  if (!forgetsInputs) return;
  saga.context = null;
  for (const action of saga.actions) action.input = null;
}

const isLeft = ({ isUndoGivenUp }: ActionRecord): boolean => isUndoGivenUp === true;
