import { z } from 'zod';
import { day, timezone, uuid } from '#server/shapes.ts';
import { TrainingSetShape } from './trainings.shapes.ts';

export const LastSetsShape = z
  .object({
    trainingId: uuid().nullable(),
    at: z.iso.datetime().nullable(),
    sets: z.array(TrainingSetShape),
  })
  .meta({ id: 'LastSets' });
export type LastSetsShape = z.infer<typeof LastSetsShape>;

const ExerciseRecordShape = z
  .object({
    value: z.number(),
    reps: z.int().nullable(),
    weightKg: z.number().nullable(),
    at: z.iso.datetime(),
    trainingId: uuid(),
  })
  .meta({ id: 'ExerciseRecord' });
export type ExerciseRecordShape = z.infer<typeof ExerciseRecordShape>;

export const ExerciseRecordsShape = z
  .object({
    heaviest: ExerciseRecordShape.nullable(),
    mostReps: ExerciseRecordShape.nullable(),
    e1rm: ExerciseRecordShape.nullable(),
    volume: ExerciseRecordShape.nullable(),
    longest: ExerciseRecordShape.nullable(),
    farthest: ExerciseRecordShape.nullable(),
  })
  .meta({ id: 'ExerciseRecords' });
export type ExerciseRecordsShape = z.infer<typeof ExerciseRecordsShape>;

export const PROGRESS_METRICS = ['E1RM', 'MAX_WEIGHT', 'VOLUME', 'REPS'] as const;
export type ProgressMetric = (typeof PROGRESS_METRICS)[number];

export const ProgressShape = z
  .object({
    metric: z.enum(PROGRESS_METRICS),
    points: z.array(
      z.object({ date: z.iso.date(), value: z.number(), trainingId: uuid() }).meta({ id: 'ProgressPoint' }),
    ),
  })
  .meta({ id: 'ExerciseProgress' });
export type ProgressShape = z.infer<typeof ProgressShape>;

export const SUMMARY_BUCKETS = ['DAY', 'WEEK', 'MONTH'] as const;
export type SummaryBucket = (typeof SUMMARY_BUCKETS)[number];

const bucket = z
  .string()
  .max(10)
  .transform((text) => text.toUpperCase())
  .pipe(z.enum(SUMMARY_BUCKETS, 'expected day, week or month'));

export const ProgressQuery = z.object({
  metric: z
    .string()
    .max(20)
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(PROGRESS_METRICS, `expected one of ${PROGRESS_METRICS.join(', ')}`))
    .optional()
    .meta({ description: 'E1RM (default), MAX_WEIGHT, VOLUME or REPS.' }),
  from: day.optional().meta({ description: 'First day. Default: that of the first training.' }),
  to: day.optional().meta({ description: 'Last day, included. Default: that of the latest training.' }),
  bucket: bucket.optional().meta({
    description:
      'day, week (from Monday) or month: only the best point of each, the first of equal ones. Default: a point for each training.',
  }),
});
export interface ProgressRange {
  metric?: ProgressMetric | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  /** Undefined for a point for each training. */
  bucket?: SummaryBucket | null | undefined;
}

export const TrainingSummaryShape = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    count: z.int(),
    minutes: z.int(),
    volumeKg: z.number(),
    volumeByMuscle: z.array(
      z.object({ muscle: z.string(), volumeKg: z.number() }).meta({ id: 'MuscleVolume' }),
    ),
    streakWeeks: z.int(),
    buckets: z.array(
      z
        .object({
          start: z.iso.date(),
          end: z.iso.date(),
          count: z.int(),
          minutes: z.int(),
          volumeKg: z.number(),
        })
        .meta({ id: 'TrainingBucket' }),
    ),
  })
  .meta({ id: 'TrainingSummary' });
export type TrainingSummaryShape = z.infer<typeof TrainingSummaryShape>;
/** In the graph, the volumes by muscle are read only if they are selected. */
export type TrainingSums = Omit<TrainingSummaryShape, 'volumeByMuscle'>;

export const SummaryQuery = z.object({
  from: day.optional().meta({ description: 'First day. Default: 29 days before the last.' }),
  to: day.optional().meta({ description: 'Last day, included. Default: today.' }),
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_660)
    .optional()
    .meta({ description: 'The number of days up to the last, instead of from. Default: 30.' }),
  bucket: bucket.optional().meta({ description: 'day, week (default; from Monday) or month.' }),
  timezone: timezone.optional().meta({
    description: "IANA time zone that decides which day is today. Default: the user's profile.",
  }),
});
export interface SummaryRange {
  from?: string | null | undefined;
  to?: string | null | undefined;
  /** The number of days up to the last one; it replaces `from`. */
  days?: number | null | undefined;
  bucket?: SummaryBucket | null | undefined;
  timezone?: string | null | undefined;
}
