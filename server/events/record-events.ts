import { uuidv7 } from '../ids.ts';
import type { JsonObject } from '../json-object.ts';
import { activeTraceparent } from '../observability/tracing.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { EventShape } from './events.shapes.ts';
import { findDeclaration, type AnyEventType } from './event-types.ts';

/** An event as a rule passes it to `recordEvents`. */
export interface NewEvent {
  type: AnyEventType;
  /** Null for something that belongs to all gyms. */
  gymId: string | null;
  /** `<type>/<id>`, e.g. `check-in/0199...`. */
  subject: string;
  /** The resource as its GET returns it to a machine client. */
  data: object;
  /** Default: now. */
  occurredAt?: Date;
}

/**
 * Writes events in the open transaction: they are published if and only if it commits. Call it after the rows of the
 * subjects are locked, so that the events of a subject are in the order of its changes.
 */
export async function recordEvents(unit: UnitOfWork, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  for (const { type, data } of events) unit.outbox?.check(type, data);
  const now = new Date();
  await insertEvents(
    unit,
    events.map(({ occurredAt = now, ...event }) => ({
      id: uuidv7(),
      ...event,
      occurredAt: occurredAt.toISOString(),
      data: event.data as JsonObject,
    })),
    { tracesOf: () => activeTraceparent() },
  );
}

const COLUMNS = 'id, type, gym_id, subject, location_id, people, occurred_at, data, traceparent';
/**
 * One text for any number of events, so that PostgreSQL plans it once per connection. The positions in the outbox are in the
 * order of the array.
 */
const INSERT = `insert into event_outbox (${COLUMNS})
  select ${COLUMNS} from jsonb_to_recordset(?::jsonb) as event (id uuid, type text, gym_id uuid, subject text,
    location_id uuid, people uuid[], occurred_at timestamptz, data jsonb, traceparent text)`;

interface InsertOptions {
  /** The ids of users whose accounts were erased. They are left out of `people`, so nobody finds the events by these ids. */
  erased?: ReadonlySet<string>;
  /** The trace context of the request that caused the event, if it was sampled. */
  tracesOf(eventId: string): string | undefined;
}

/** Writes events that have their ids already. */
export async function insertEvents(
  unit: UnitOfWork,
  events: readonly EventShape[],
  { erased = new Set(), tracesOf }: InsertOptions,
): Promise<void> {
  const peopleOf = ({ type, data }: EventShape) =>
    peopleIn(type, data).filter((userId) => !erased.has(userId));
  if (events.length === 0) return;
  await unit.run(INSERT, [
    JSON.stringify(
      events.map((event) => ({
        id: event.id,
        type: event.type,
        gym_id: event.gymId,
        subject: event.subject,
        location_id: typeof event.data.locationId === 'string' ? event.data.locationId : null,
        people: peopleOf(event),
        occurred_at: event.occurredAt,
        data: event.data,
        traceparent: tracesOf(event.id) ?? null,
      })),
    ),
  ]);
  await unit.afterCommit(() => unit.outbox?.wake());
}

/** The ids of the users whom the data of an event names. */
export function peopleIn(type: string, data: EventShape['data']): string[] {
  const fields = findDeclaration(type)?.people ?? [];
  return [...new Set(fields.map((field) => data[field]).filter((id) => typeof id === 'string'))];
}
