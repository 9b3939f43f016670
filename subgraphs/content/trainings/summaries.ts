import { addDays, checkRange, dayOf, endOfBucket, startOfBucket, validZone } from '#server/calendar.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { invalid } from '#server/errors.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireTrainingOwner } from '../access.ts';
import { FIRST_MONDAY, type TrainingLog, type SumsRow } from './training-log.ts';
import type { SummaryBucket, SummaryRange, TrainingSummaryShape, TrainingSums } from './progress.shapes.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 3_660; // ten years
const MAX_BUCKETS_BY_DAY = 366;

/** Sums of trainings over time. A user can read only their own. */
export class Summaries {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;
  private readonly trainingLog: TrainingLog;

  constructor(unit: UnitOfWork, profiles: Profiles, trainingLog: TrainingLog) {
    this.unit = unit;
    this.profiles = profiles;
    this.trainingLog = trainingLog;
  }

  /** The sums of at most ten years, by default of the last 30 days. @throws NOT_FOUND for another user */
  async summary(userId: string, range: SummaryRange): Promise<TrainingSummaryShape> {
    const sums = await this.sums(userId, range);
    return { ...sums, volumeByMuscle: await this.volumeByMuscle(userId, sums) };
  }

  /** As `summary`, without the volumes by muscle, which most pages do not show. */
  async sums(userId: string, range: SummaryRange): Promise<TrainingSums> {
    const owner = requireTrainingOwner(this.unit.viewer, userId);
    if (range.from && range.days) throw invalid('days', 'expected no number of days together with from');
    const zone = validZone(range.timezone) ?? (await this.profiles.of(this.unit)).timezone;
    const today = dayOf(new Date(), zone);
    const to = range.to ?? today;
    const from = range.from ?? addDays(to, 1 - daysOf(range));
    const bucket = range.bucket ?? 'WEEK';
    checkRange(from, to, bucket === 'DAY' ? MAX_BUCKETS_BY_DAY : MAX_DAYS);
    const lastDay = to < today ? to : today;
    const row = await this.trainingLog.sums(owner, bucket, { from, to, lastDay });
    return {
      from,
      to,
      count: sumOf(row.buckets, ({ count }) => count),
      minutes: sumOf(row.buckets, ({ minutes }) => minutes),
      volumeKg: grams(sumOf(row.buckets, ({ volumeKg }) => volumeKg)),
      streakWeeks: streakOf(new Set(row.weeks), weekOf(lastDay)),
      // Computed only when it is read, because the home page shows no buckets.
      get buckets() {
        return bucketsOf(row.buckets, from, to, bucket);
      },
    };
  }

  /** The volume of an exercise counts in full for each of its primary muscles as they are now. */
  async volumeByMuscle(
    userId: string,
    { from, to }: { from: string; to: string },
  ): Promise<TrainingSummaryShape['volumeByMuscle']> {
    const owner = requireTrainingOwner(this.unit.viewer, userId);
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
}

/** The number of days of a range without `from`. @throws VALIDATION_FAILED */
function daysOf({ days }: SummaryRange): number {
  if (days !== undefined && days !== null && (days < 1 || days > MAX_DAYS))
    throw invalid('days', `expected 1 to ${MAX_DAYS} days, got ${days}`);
  return days ?? DEFAULT_DAYS;
}

/** Every bucket of the range, also without trainings; the first and the last one may be cut by the range. */
function bucketsOf(rows: SumsRow['buckets'], from: string, to: string, bucket: SummaryBucket) {
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

/** The number of the week of a day, counted as in `SUMS` of `training-log.ts`. */
const weekOf = (day: string): number =>
  Math.floor((Date.parse(day) - Date.parse(FIRST_MONDAY)) / (7 * DAY_MILLIS));

/**
 * The number of weeks in a row with a training, up to the week `last`. This week counts if it has a training, and does not end
 * the streak if it has none, because it may not be over.
 */
function streakOf(weeks: ReadonlySet<number>, last: number): number {
  let week = weeks.has(last) ? last : last - 1;
  let streak = 0;
  for (; weeks.has(week); week -= 1) streak += 1;
  return streak;
}

const sumOf = <Item>(items: readonly Item[], valueOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0);

/** Kilograms, rounded to a gram, because a sum of decimal numbers is not exact. */
const grams = (kilograms: number): number => Math.round(kilograms * 1_000) / 1_000;
