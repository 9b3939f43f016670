import { DateTime } from 'luxon';
import { invalid } from '#server/errors.ts';
import { instantsOf, RangeInput } from '#server/time-range.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import type { LocationShape, OccupancySampleShape } from './locations.shapes.ts';

const LONGEST_RANGE_DAYS = 31;

/**
 * The peak and the check-ins of every hour from `from` (default: 24 hours before `to`) to `to` (default: now). The hours are
 * those of the location's clock, which in some time zones begin 30 or 45 minutes after those of UTC.
 */
export async function occupancyHistory(
  unit: UnitOfWork,
  location: LocationShape,
  input: unknown,
): Promise<OccupancySampleShape[]> {
  const range = instantsOf(validated(RangeInput, input), location.timezone);
  const to = range.to?.getTime() ?? Date.now();
  const from = DateTime.fromMillis(range.from?.getTime() ?? to - DAY_MILLIS, { zone: location.timezone })
    .startOf('hour')
    .toMillis();
  if (from >= to) throw invalid('from', 'expected a time before to');
  if (to - from > LONGEST_RANGE_DAYS * DAY_MILLIS + HOUR_MILLIS)
    throw invalid('to', `expected at most ${LONGEST_RANGE_DAYS} days after from`);
  const hours = await changesByHour(unit, location.id, new Date(from), new Date(to));
  const byHour = new Map(hours.map((hour) => [from + hour.index * HOUR_MILLIS, hour]));
  let people = 0;
  const samples: OccupancySampleShape[] = [];
  for (let at = from; at < to; at += HOUR_MILLIS) {
    const hour = byHour.get(at);
    samples.push({
      from: new Date(at).toISOString(),
      peak: Math.max(people, hour?.peak ?? 0),
      checkIns: hour?.arrivals ?? 0,
    });
    people = hour?.last ?? people;
  }
  return samples;
}

interface HourOfChanges {
  /** The number of hours since `from`. */
  index: number;
  peak: number;
  /** How many people are inside at the end of the hour. */
  last: number;
  arrivals: number;
}

/**
 * Every check-in counts +1 and every end of a visit -1, summed in the order of time. A visit that began before `from` counts
 * from `from` on. No visit lasts longer than 24 hours (the maximum of `maxStayMinutes`), so the query reads only the visits
 * that began at most 25 hours before `from`.
 */
function changesByHour(unit: UnitOfWork, locationId: string, from: Date, to: Date): Promise<HourOfChanges[]> {
  return unit.em.execute<HourOfChanges[]>(
    `with visits as (
       select checked_in_at as began, coalesce(checked_out_at, expires_at) as ended from check_in
       where location_id = ? and checked_in_at < ? and coalesce(checked_out_at, expires_at) > ?
         and checked_in_at > ?::timestamptz - interval '25 hours' and check_out_kind is distinct from 'UNDONE'
     ), changes as (
       select greatest(began, ?) as at, 1 as change, (began >= ?)::int as arrival from visits
       union all select ended, -1, 0 from visits where ended < ?
     ), running as (
       select at, arrival, sum(change) over (in_order rows unbounded preceding)::int as people, row_number() over in_order as place
       from changes window in_order as (order by at, change desc)
     )
     select floor(extract(epoch from at - ?::timestamptz) / 3600)::int as index, max(people) as peak,
       (array_agg(people order by place desc))[1] as last, sum(arrival)::int as arrivals
     from running group by 1`,
    [locationId, to, from, from, from, from, to, from],
  );
}
