import { DAY_MILLIS } from '../durations.ts';
import { conflict } from '../errors.ts';
import type { ActionRecord, Resolution, Saga, SagaDefinition } from './saga.ts';

const GIVE_UP_AFTER_MILLIS = DAY_MILLIS;
const MAX_RESOLUTIONS = 20;

export function beginUndoing(saga: Saga, now: Date): void {
  saga.status = 'UNDOING';
  saga.undoing = { round: 0, resolutions: [], ...saga.undoing, since: now.toISOString() };
  for (const action of saga.actions) action.nextAttemptAt = null;
}

/**
 * Whether the undoing of an action that has just failed is given up. The time counts for each action by itself: an action whose
 * undoing takes long does not shorten the time of the others, which are undone after it.
 * @param now milliseconds since 1970
 */
export const isUndoingTooLong = (
  { undoingSince }: ActionRecord,
  { undoGiveUpAfterMillis = GIVE_UP_AFTER_MILLIS }: SagaDefinition,
  now: number,
): boolean => undoingSince !== undefined && now - Date.parse(undoingSince) >= undoGiveUpAfterMillis;

/**
 * Ends the undoing, when each action is undone or given up: the saga becomes UNDONE, or waits for a decision about the
 * actions that were given up.
 */
export function endUndoing(saga: Saga, definition: SagaDefinition, now: Date): void {
  if (!saga.actions.some(isGivenUp)) {
    finish(saga, definition, { status: 'UNDONE', result: null, at: now });
    return;
  }
  saga.status = 'UNDO_FAILED';
  // A retry of the undoing needs only the inputs of the actions that were given up.
  if (definition.forgetsInputs)
    for (const action of saga.actions) if (!isGivenUp(action)) action.input = null;
}

/**
 * Carries out a decision about a saga that could not be undone.
 * @throws CONFLICT for a saga that does not wait for a decision
 */
export function resolve(saga: Saga, definition: SagaDefinition, resolution: Resolution): void {
  if (saga.status !== 'UNDO_FAILED')
    throw conflict(`Expected a saga that could not be undone (UNDO_FAILED); this one is ${saga.status}.`);
  const { round = 0, resolutions = [], since = resolution.at } = saga.undoing ?? {};
  const latest = [...resolutions, resolution].slice(-MAX_RESOLUTIONS);
  const at = new Date(resolution.at);
  if (resolution.action === 'ACCEPT') {
    saga.undoing = { since, round, resolutions: latest };
    finish(saga, definition, { status: 'UNDONE', result: null, at });
    return;
  }
  saga.undoing = { since, round: round + 1, resolutions: latest };
  for (const action of saga.actions) {
    action.isUndoGivenUp = false;
    delete action.undoingSince;
  }
  beginUndoing(saga, at);
}

/** Ends a saga, and removes the data that its definition declares as personal. */
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

const isGivenUp = ({ isUndoGivenUp }: ActionRecord): boolean => isUndoGivenUp === true;
