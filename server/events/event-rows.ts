import { columnsOf } from '../database/columns.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { AnyEventType } from './event-types.ts';
import { EventShape } from './events.shapes.ts';

/** Which events a caller reads. */
export interface EventFilter {
  /** The events of this gym, and those of things that belong to all gyms; null: the events of all gyms. */
  gymId: string | null;
  types: readonly AnyEventType[];
  /** The only location whose events are read; events that name no location are read in any case. */
  locationId: string | null;
}

/** An event at its position in the feed. */
export type EventRow = EventShape & { position: number; publishedAt: string; traceparent: string | null };

interface FeedState {
  /** The position of the last event that is kept; 0 if there is none. */
  last: number;
  /** The highest position that an event has ever had, even if that event is no longer kept. */
  highest: number;
}

const STATE = `coalesce((select position from event where position > 0 order by position desc limit 1), 0)::double precision as last,
  (select case when is_called then last_value else 0 end::double precision from event_position_seq) as highest`;

/** `position` is a bigint, which the driver would return as a text; a double is exact up to 2^53. */
const COLUMNS = `position::double precision as position, ${columnsOf(EventShape)}, traceparent,
  to_char(published_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "publishedAt"`;

/** The last and the highest position of the feed now. */
export async function feedState(unit: UnitOfWork): Promise<FeedState> {
  const [state] = await unit.read<FeedState>(`select ${STATE}`, []);
  return state ?? { last: 0, highest: 0 };
}

/**
 * The first `limit` events after a position, and the state of the feed at the same moment. Each type of each gym has its
 * range in an index, so that events of other types and gyms are not read.
 */
export async function eventsAfter(
  unit: UnitOfWork,
  position: number,
  { gymId, types, locationId }: EventFilter,
  limit: number,
): Promise<FeedState & { rows: EventRow[] }> {
  const source = gymId
    ? 'from (values (?::uuid), (null)) as of_gym (of_gym_id) cross join unnest(?::text[]) as of_type (type_name) cross join lateral'
    : 'from unnest(?::text[]) as of_type (type_name) cross join lateral';
  // "gym_id is not distinct from" would not use the index.
  const ofGym = (condition: string) => `(
    select * from event where ${condition} type = type_name and position > ?::bigint
      and (?::uuid is null or location_id is null or location_id = ?::uuid)
    order by position limit ?)`;
  const bounds = [position, locationId, locationId, limit];
  const eventsOfType = gymId
    ? `${ofGym('gym_id = of_gym_id and')} union all ${ofGym('of_gym_id is null and gym_id is null and')}`
    : ofGym('');
  const found = await unit.read<FeedState & Partial<EventRow>>(
    `select ${STATE}, page.* from (select 1) as one left join lateral (
       select ${COLUMNS} ${source} (${eventsOfType}) as event order by position limit ?
     ) as page on true`,
    [...(gymId ? [gymId, types, ...bounds, ...bounds] : [types, ...bounds]), limit],
  );
  const [{ last, highest } = { last: 0, highest: 0 }] = found;
  const rows = found.flatMap(({ last: _last, highest: _highest, ...row }) =>
    typeof row.position === 'number' ? [row as EventRow] : [],
  );
  return { last, highest, rows };
}
