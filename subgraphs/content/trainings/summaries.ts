import { addDays, checkRange, dayOf, endOfBucket, startOfBucket, validZone } from '#server/calendar.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireTrainingOwner } from '../access.ts';
import type { SummaryBucket, SummaryRange, TrainingSummaryShape } from './progress.shapes.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 3_660; // ten years
const MAX_BUCKETS_BY_DAY = 366;
const WEEK = 7;

const TRUNCATED: Readonly<Record<SummaryBucket, string>> = { DAY: 'day', WEEK: 'week', MONTH: 'month' };

/** Sums of trainings over time. A user can read only their own. */
export class Summaries {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;

  constructor(unit: UnitOfWork, profiles: Profiles) {
    this.unit = unit;
    this.profiles = profiles;
  }

  /** The sums of at most ten years, by default of the last 30 days. @throws NOT_FOUND for another user */
  async summary(userId: string, range: SummaryRange): Promise<TrainingSummaryShape> {
    const owner = requireTrainingOwner(this.unit.viewer, userId);
    const zone = validZone(range.timezone) ?? (await this.profiles.of(this.unit)).timezone;
    const today = dayOf(new Date(), zone);
    const to = range.to ?? today;
    const from = range.from ?? addDays(to, 1 - DEFAULT_DAYS);
    const bucket = range.bucket ?? 'WEEK';
    checkRange(from, to, bucket === 'DAY' ? MAX_BUCKETS_BY_DAY : MAX_DAYS);
    const [buckets, volumeByMuscle, streakWeeks] = await Promise.all([
      this.buckets(owner, from, to, bucket),
      this.volumeByMuscle(owner, from, to),
      this.streakWeeks(owner, to < today ? to : today),
    ]);
    return {
      from,
      to,
      count: sumOf(buckets, ({ count }) => count),
      minutes: sumOf(buckets, ({ minutes }) => minutes),
      volumeKg: grams(sumOf(buckets, ({ volumeKg }) => volumeKg)),
      volumeByMuscle,
      streakWeeks,
      buckets,
    };
  }

  /** Every bucket of the range, also without trainings; the first and the last one may be cut by the range. */
  private async buckets(owner: string, from: string, to: string, bucket: SummaryBucket) {
    const rows = await this.unit.read<Omit<TrainingSummaryShape['buckets'][number], 'end'>>(
      `select to_char(date_trunc('${TRUNCATED[bucket]}', local_date::timestamp), 'YYYY-MM-DD') as start, count(*)::int as count,
         coalesce(sum(minutes), 0)::int as minutes, coalesce(sum(volume_kg), 0) as "volumeKg"
       from training where user_id = ? and local_date between ?::date and ?::date group by 1`,
      [owner, from, to],
    );
    const byStart = new Map(rows.map((row) => [row.start, row]));
    const buckets: TrainingSummaryShape['buckets'] = [];
    for (let start = startOfBucket(from, bucket); start <= to;) {
      const end = endOfBucket(start, bucket);
      const row = byStart.get(start);
      buckets.push({
        start: start < from ? from : start,
        end: end > to ? to : end,
        count: row?.count ?? 0,
        minutes: row?.minutes ?? 0,
        volumeKg: grams(row?.volumeKg ?? 0),
      });
      start = addDays(end, 1);
    }
    return buckets;
  }

  /** The volume of an exercise counts in full for each of its primary muscles as they are now. */
  private async volumeByMuscle(owner: string, from: string, to: string) {
    const rows = await this.unit.read<{ muscle: string; volumeKg: number }>(
      `select muscle.name as muscle, sum(figures.volume_kg) as "volumeKg"
       from training_exercise as figures join exercise on exercise.id = figures.exercise_id
         cross join lateral jsonb_array_elements_text(exercise.primary_muscles) as muscle(name)
       where figures.user_id = ? and figures.local_date between ?::date and ?::date and figures.volume_kg > 0
       group by 1 order by 2 desc, 1`,
      [owner, from, to],
    );
    return rows.map(({ muscle, volumeKg }) => ({ muscle, volumeKg: grams(volumeKg) }));
  }

  /**
   * The number of weeks in a row with a training, up to the week of a day. This week counts if it has a training, and does
   * not end the streak if it has none, because it is not over.
   */
  private async streakWeeks(owner: string, day: string): Promise<number> {
    const rows = await this.unit.read<{ monday: string }>(
      `select distinct to_char(date_trunc('week', local_date::timestamp), 'YYYY-MM-DD') as monday
       from training where user_id = ? and local_date <= ?::date order by 1 desc`,
      [owner, day],
    );
    const weeks = new Set(rows.map(({ monday }) => monday));
    let monday = startOfBucket(day, 'WEEK');
    if (!weeks.has(monday)) monday = addDays(monday, -WEEK);
    let streak = 0;
    for (; weeks.has(monday); monday = addDays(monday, -WEEK)) streak += 1;
    return streak;
  }
}

const sumOf = <Item>(items: readonly Item[], valueOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0);

/** Sums of weights are exact to a gram. */
const grams = (kilograms: number): number => Math.round(kilograms * 1_000) / 1_000;
