import { requireService } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { minutesOfOverlapping, wholeMinutesOf, type TimedTraining } from './counted-minutes.ts';
import type { CountedRange, TrainingCountShape } from './training-counts.shapes.ts';

/**
 * For each range: the trainings that count now. Trainings that overlap, directly or through others, are an island. The minutes
 * of an island with one training are those of the training; for an island with several, the query returns their times, from
 * which the minutes are computed.
 *
 * The local day of a training is at most a day away from that in UTC, so the query can limit `local_date`, by which the index is
 * sorted.
 */
const COUNTS = `
  with counted as (
    select place, training.started_at, training.ended_at, coalesce(training.minutes, 0) as minutes,
      training.ended_at <= statement_timestamp() as is_over
    from unnest(?::uuid[], ?::timestamptz[], ?::timestamptz[]) with ordinality as wanted(user_id, starts_at, ends_at, place)
    cross join lateral (
      select started_at, ended_at, minutes from training
      where training.user_id = wanted.user_id
        and local_date between (wanted.starts_at at time zone 'UTC')::date - 1 and (wanted.ends_at at time zone 'UTC')::date + 1
        and started_at >= wanted.starts_at and started_at < wanted.ends_at
        and ended_at <= wanted.ends_at and created_at < wanted.ends_at
    ) as training
  ), numbered as (
    select *, count(*) filter (where started_at >= ended_before or ended_before is null) over (
        partition by place order by started_at, ended_at rows unbounded preceding
      ) as island
    from (
      select *, max(ended_at) over (
          partition by place order by started_at, ended_at rows between unbounded preceding and 1 preceding
        ) as ended_before
      from counted where is_over
    ) as after_others
  ), islands as (
    select place, count(*)::int as trainings, sum(minutes)::int as minutes, max(ended_at) as ended_at,
      case when count(*) > 1 then jsonb_agg(jsonb_build_array(
        floor(extract(epoch from started_at) * 1000), floor(extract(epoch from ended_at) * 1000), minutes)) end as overlapping
    from numbered group by place, island
  )
  select wanted.place::int as place, coalesce(sum(trainings), 0)::int as trainings,
    coalesce(sum(minutes) filter (where overlapping is null), 0)::int as minutes,
    jsonb_agg(overlapping) filter (where overlapping is not null) as overlapping,
    to_char(max(ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "reachedAt",
    (select to_char(min(counted.ended_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from counted
      where counted.place = wanted.place and not is_over) as "changesAt"
  from generate_series(1, ?::int) as wanted(place) left join islands on islands.place = wanted.place
  group by wanted.place order by wanted.place`;

interface CountRow extends TrainingCountShape {
  overlapping: TimedTraining[][] | null;
}

/** How much users have trained in time ranges, for the scores of challenges. */
export class TrainingCounts {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Counts in the order of the ranges. A training counts in a range if it began in it and has ended, and if it had ended and was
   * logged before the end of the range: what is logged later does not change the result of a range that is over.
   * @throws FORBIDDEN for others than services
   */
  async counts(ranges: readonly CountedRange[]): Promise<TrainingCountShape[]> {
    requireService(this.unit.viewer);
    const rows = await this.unit.read<CountRow>(COUNTS, [
      ranges.map(({ userId }) => userId),
      ranges.map(({ from }) => from.toISOString()),
      ranges.map(({ to }) => to.toISOString()),
      ranges.length,
    ]);
    return rows.map(({ trainings, minutes, overlapping, reachedAt, changesAt }) => ({
      trainings,
      minutes: wholeMinutesOf(
        (overlapping ?? []).reduce((sum, island) => sum + minutesOfOverlapping(island), minutes),
      ),
      reachedAt,
      changesAt,
    }));
  }
}
