import type DataLoader from 'dataloader';
import { requireUser } from '#server/auth/viewer.ts';
import { checkRange } from '#server/calendar.ts';
import { invalid, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { listLoaderOf, loaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Exercises } from '../exercises/exercises.ts';
import { progressChart } from './progress-chart.ts';
import type {
  ExerciseRecordShape,
  ExerciseRecordsShape,
  LastSetsShape,
  ProgressMetric,
  ProgressRange,
  ProgressShape,
  SummaryBucket,
} from './progress.shapes.ts';
import { columnOfRecord } from './training-figures.ts';
import { SET_RECORDS, type BestSet, type SetRecord, type TrainingEntry } from './training.entity.ts';

/** A series has at most its latest 4,000 points; a user who trains an exercise every day has as many after eleven years. */
const MAX_POINTS = 4_000;
const MAX_CHART_DAYS = 3_660; // ten years

/** Of equal values the set with more repetitions is the record, then the one with more weight, then the first. */
const bestBy = (record: SetRecord): string =>
  `(select '${record}' as record, training_id, bests -> '${record}' as best from training_exercise
    where user_id = ? and exercise_id = wanted.id and ${columnOfRecord(record)} is not null
    order by ${columnOfRecord(record)} desc, coalesce((bests #>> '{${record},reps}')::int, 0) desc, coalesce((bests #>> '{${record},weightKg}')::float8, 0) desc, started_at, training_id limit 1)`;

const RECORDS = `select wanted.id as "exerciseId", found.record, found.training_id as "trainingId", found.best
  from unnest(?::uuid[]) as wanted(id) cross join lateral (
    ${SET_RECORDS.map(bestBy).join(' union all ')} union all
    (select 'volume', training_id, jsonb_build_object('value', volume_kg, 'reps', null, 'weightKg', null, 'at', to_char(started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
     from training_exercise where user_id = ? and exercise_id = wanted.id and volume_kg > 0
     order by volume_kg desc, started_at, training_id limit 1)
  ) as found`;

/** A training that is running is the last one only if the user has finished none with the exercise. */
const LAST = `select wanted.id as "exerciseId", training.id as "trainingId", to_char(training.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, training.entries
  from unnest(?::uuid[]) as wanted(id) cross join lateral (
    select training_id from training_exercise where user_id = ? and exercise_id = wanted.id
    order by is_running, started_at desc, training_id desc limit 1
  ) as found join training on training.id = found.training_id`;

/** The points of an exercise, the latest first: one for each training with a value. */
const eachPoint = (value: string): string =>
  `select local_date, ${value} as value, training_id from training_exercise
   where user_id = ? and exercise_id = wanted.id and local_date between ?::date and ?::date and ${value} is not null
   order by started_at desc, training_id desc limit ${MAX_POINTS}`;

/** Of each day, week (from Monday) or month the best point; of equal ones the first. */
const bestPoints = (value: string, bucket: SummaryBucket): string =>
  `select distinct on (date_trunc('${bucket}', local_date::timestamp)) local_date, ${value} as value, training_id from training_exercise
   where user_id = ? and exercise_id = wanted.id and local_date between ?::date and ?::date and ${value} is not null
   order by date_trunc('${bucket}', local_date::timestamp) desc, ${value} desc, started_at, training_id limit ${MAX_POINTS}`;

/**
 * The points of each exercise. All points of an exercise are one text, because to parse a row for each of the thousand points
 * of some years takes several times as long, and PostgreSQL needs less time for a text than for JSON.
 */
const seriesOf = (points: string): string =>
  `select wanted.id as "exerciseId", (
     select string_agg(concat_ws(' ', point.local_date, point.value, point.training_id), ' ') from (${points}) as point
   ) as points from unnest(?::uuid[]) as wanted(id)`;
const VALUES: Readonly<Record<ProgressMetric, string>> = {
  E1RM: columnOfRecord('e1rm'),
  MAX_WEIGHT: columnOfRecord('heaviest'),
  VOLUME: 'nullif(volume_kg, 0)',
  REPS: columnOfRecord('mostReps'),
};

interface SeriesRow {
  exerciseId: string;
  /** Date, value and training of each point, separated by spaces. */
  points: string | null;
}
interface RecordRow {
  exerciseId: string;
  record: SetRecord | 'volume';
  trainingId: string;
  best: BestSet;
}
interface LastRow {
  exerciseId: string;
  trainingId: string;
  at: string;
  entries: TrainingEntry[];
}

/** What the caller has reached with an exercise. It is read from the figures of their trainings, so it is private as they are. */
export class Progress {
  private readonly unit: UnitOfWork;
  private readonly exercises: Exercises;
  private readonly lastByExercise = loaderOf<LastRow>(
    (ids) => this.unit.read(LAST, [ids, requireUser(this.unit.viewer).userId]),
    ({ exerciseId }) => exerciseId,
  );
  /** By metric, bucket, first and last day. */
  private readonly seriesByRange = new Map<string, DataLoader<string, SeriesRow | null>>();
  private readonly recordsByExercise = listLoaderOf<RecordRow>(
    (ids) => {
      const { userId } = requireUser(this.unit.viewer);
      return this.unit.read(RECORDS, [ids, ...SET_RECORDS.map(() => userId), userId]);
    },
    ({ exerciseId }) => exerciseId,
  );

  constructor(unit: UnitOfWork, exercises: Exercises) {
    this.unit = unit;
    this.exercises = exercises;
  }

  /** The sets of the last training with the exercise; none if there is no such training. @throws NOT_FOUND for an exercise that the viewer may not see */
  async last(exerciseId: string): Promise<LastSetsShape> {
    const id = await this.exerciseOf(exerciseId);
    const found = await this.lastByExercise.load(id);
    if (!found) return { trainingId: null, at: null, sets: [] };
    return {
      trainingId: found.trainingId,
      at: found.at,
      sets: found.entries.flatMap((entry) => (entry.exerciseId === id ? entry.sets : [])),
    };
  }

  /** The best sets, and the training with the highest volume. Sets to warm up count for none of them. */
  async records(exerciseId: string): Promise<ExerciseRecordsShape> {
    const found = await this.recordsByExercise.load(await this.exerciseOf(exerciseId));
    const of = (record: RecordRow['record']): ExerciseRecordShape | null => {
      const row = found.find((one) => one.record === record);
      return row ? { ...row.best, trainingId: row.trainingId } : null;
    };
    return {
      heaviest: of('heaviest'),
      mostReps: of('mostReps'),
      e1rm: of('e1rm'),
      volume: of('volume'),
      longest: of('longest'),
      farthest: of('farthest'),
    };
  }

  /**
   * One point for each training with a value, or with a `bucket` the best point of each day, week or month, the oldest first; at
   * most the latest 4,000. Series of one metric, range and bucket are batched.
   */
  async series(exerciseId: string, range: ProgressRange): Promise<ProgressShape> {
    const { from, to } = range;
    const id = await this.exerciseOf(exerciseId);
    if (from && to && to < from) throw invalid('to', `expected a day not before ${from}, got ${to}`);
    const found = await this.seriesOf(range).load(id);
    return { metric: range.metric ?? 'E1RM', points: pointsOf(found?.points ?? '') };
  }

  private seriesOf({ metric, from, to, bucket }: ProgressRange): DataLoader<string, SeriesRow | null> {
    const key = `${metric ?? ''} ${bucket ?? ''} ${from ?? ''} ${to ?? ''}`;
    const value = VALUES[metric ?? 'E1RM'];
    const statement = seriesOf(bucket ? bestPoints(value, bucket) : eachPoint(value));
    const loader =
      this.seriesByRange.get(key) ??
      loaderOf<SeriesRow>(
        (ids) =>
          this.unit.read(statement, [
            requireUser(this.unit.viewer).userId,
            from ?? '-infinity',
            to ?? 'infinity',
            ids,
          ]),
        ({ exerciseId }) => exerciseId,
      );
    this.seriesByRange.set(key, loader);
    return loader;
  }

  /** The series as an SVG picture, of at most ten years. */
  async chart(exerciseId: string, range: ProgressRange): Promise<string> {
    if (range.from && range.to) checkRange(range.from, range.to, MAX_CHART_DAYS);
    const exercise = await this.exercises.find(exerciseId);
    const series = await this.series(exerciseId, range);
    return progressChart(exercise?.name ?? '', series, range.bucket ?? undefined);
  }

  private async exerciseOf(exerciseId: string): Promise<string> {
    requireUser(this.unit.viewer);
    const exercise = isUuid(exerciseId) ? await this.exercises.find(exerciseId) : null;
    if (!exercise) throw notFound('exercise', exerciseId);
    return exercise.id;
  }
}

/** The points of a row, the oldest first. */
function pointsOf(text: string): ProgressShape['points'] {
  const points: ProgressShape['points'] = [];
  const parts = text === '' ? [] : text.split(' ');
  for (let end = parts.length; end > 0; end -= 3) {
    const [date = '', value, trainingId = ''] = parts.slice(end - 3, end);
    points.push({ date, value: Number(value), trainingId });
  }
  return points;
}
