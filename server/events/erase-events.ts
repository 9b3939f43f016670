import type { RecordSource } from '../accounts/account-part.ts';
import { columnsOf } from '../database/columns.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { findDeclaration } from './event-types.ts';
import { EventShape } from './events.shapes.ts';

/**
 * Anonymises the data of the events that name a user; returns their number. Call it in the transaction of the erasure after
 * all other changes, so that it finds the events that they have written.
 *
 * The outbox comes first: if the publisher moves an event at the same time, this statement waits for it, and the next one
 * finds the event in the feed.
 */
export async function eraseFromEvents(unit: UnitOfWork, userId: string): Promise<number> {
  let count = 0;
  for (const table of ['event_outbox', 'event']) {
    const rows = await unit.em.execute<{ position: string; type: string; data: EventShape['data'] }[]>(
      `select position::text as position, type, data from ${table} where people @> array[?::uuid] order by position for update`,
      [userId],
    );
    if (rows.length === 0) continue;
    await unit.em.execute(
      `update ${table} as changed set data = given.data, people = array_remove(people, ?::uuid)
       from unnest(?::bigint[], ?::jsonb[]) as given (position, data) where changed.position = given.position`,
      [
        userId,
        arrayText(rows.map(({ position }) => position)),
        arrayText(rows.map(({ type, data }) => JSON.stringify(withoutPerson(type, data, userId)))),
      ],
    );
    count += rows.length;
  }
  return count;
}

/**
 * The data of an event without the user: their id is replaced by null. If the data is the user themselves, only their id
 * stays.
 */
export function withoutPerson(type: string, data: EventShape['data'], userId: string): EventShape['data'] {
  const declaration = findDeclaration(type);
  if (declaration?.isPerson) return { id: data.id };
  const changed = { ...data };
  for (const field of declaration?.people ?? []) if (changed[field] === userId) changed[field] = null;
  return changed;
}

/** An array as PostgreSQL's text, because the ORM expands arrays to lists of values. */
const arrayText = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;

const COLUMNS = columnsOf(EventShape);

/** The events that name a user, for an export of their account. */
export const eventRecords =
  (unit: UnitOfWork): RecordSource =>
  async (userId, after, limit) => {
    const rows = await unit.read<EventShape & { position: string }>(
      `select position::text as position, ${COLUMNS} from event
       where people @> array[?::uuid] and position > ?::bigint order by position limit ?`,
      [userId, after?.[0] ?? 0, limit],
    );
    return rows.map(({ position, ...record }) => ({ key: [position], record }));
  };
