import type { JournalKind } from './journal.ts';
import { START, type Found, type Position } from './journal-tables.ts';

/** A journal's state as far as it was read from PostgreSQL. */
export interface JournalCopy<State> {
  readonly state: State;
  readonly position: Position;
}

export const emptyCopy = <State, Item extends object>(
  kind: JournalKind<State, Item>,
  id: string,
): JournalCopy<State> => ({ state: kind.empty(id), position: START });

/**
 * The states that follow `copy`, oldest first: one for each record; if the whole journal was read, only the last.
 * Empty if there is nothing new.
 */
export function statesAfter<State, Item extends object>(
  kind: JournalKind<State, Item>,
  id: string,
  copy: JournalCopy<State>,
  found: Found,
): State[] {
  const items = found.records as readonly Item[];
  if (found.isWhole) {
    if (found.position.seq === 0 && copy.position.seq === 0) return [];
    return [items.reduce((state, item) => kind.apply(state, item), kind.empty(id))];
  }
  let { state } = copy;
  return items.map((item) => (state = kind.apply(state, item)));
}

/** The state after these records. */
export const applied = <State, Item extends object>(
  kind: JournalKind<State, Item>,
  state: State,
  items: readonly Item[],
): State => items.reduce((before, item) => kind.apply(before, item), state);
