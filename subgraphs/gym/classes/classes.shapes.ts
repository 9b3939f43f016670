import { z } from 'zod';
import { columnsOf } from '#server/database/columns.ts';
import { day, flag, instant, uuid, versionNumber, visibleText } from '#server/shapes.ts';
import { Recurrence } from './recurrence.ts';

const RecurrenceShape = z.object({ startsAt: z.string(), rrule: z.string().nullable() }).meta({
  id: 'Recurrence',
});

export const GymClassShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    locationId: uuid(),
    title: z.string(),
    description: z.string().nullable(),
    durationMinutes: z.int(),
    capacity: z.int(),
    instructor: z.string().nullable(),
    cancelBeforeMinutes: z.int(),
    recurrence: RecurrenceShape.nullable(),
    isFirstVisit: z.boolean(),
    active: z.boolean(),
    version: z.int(),
  })
  .meta({ id: 'GymClass' });
export type GymClassShape = z.infer<typeof GymClassShape>;

/** The columns of a class. */
export const GYM_CLASS = columnsOf(GymClassShape, {
  recurrence: `case when starts_at is null then null else jsonb_build_object('startsAt', starts_at, 'rrule', rrule) end`,
});

export const ClassOccurrenceShape = z
  .object({ localStart: z.string(), startsAt: z.iso.datetime(), endsAt: z.iso.datetime() })
  .meta({ id: 'ClassOccurrence' });
export type ClassOccurrenceShape = z.infer<typeof ClassOccurrenceShape>;

export const MAX_CAPACITY = 100_000;
export const durationMinutes = z
  .int()
  .min(1)
  .max(24 * 60);
export const sessionCapacity = z.int().min(1).max(MAX_CAPACITY);
export const instructorName = visibleText(120).nullish();

const fields = {
  title: visibleText(120),
  description: z.string().trim().max(2_000).nullish(),
  durationMinutes,
  capacity: sessionCapacity,
  instructor: instructorName,
  cancelBeforeMinutes: z
    .int()
    .min(0)
    .max(14 * 24 * 60),
  recurrence: Recurrence,
};

export const CreateGymClassInput = z
  .object({
    locationId: uuid(),
    ...fields,
    cancelBeforeMinutes: fields.cancelBeforeMinutes.nullish(),
  })
  .meta({ graphType: 'CreateGymClassInput' });

/**
 * Absent fields are unchanged. Null clears `description` and `instructor`; null in other fields is ignored, because they
 * cannot be empty.
 */
export const UpdateGymClassInput = z
  .object({
    title: fields.title.nullish(),
    description: fields.description,
    durationMinutes: durationMinutes.nullish(),
    capacity: sessionCapacity.nullish(),
    instructor: instructorName,
    cancelBeforeMinutes: fields.cancelBeforeMinutes.nullish(),
    recurrence: Recurrence.nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateGymClassInput' });

export const GymClassesFilter = z.object({
  locationId: uuid().nullish().meta({ description: 'Only classes at this location.' }),
  active: z.boolean().nullish(),
});

/** The query of `GET /classes`. */
export const gymClassesQuery = z.object({
  locationId: uuid().optional().meta({ description: 'Only classes at this location.' }),
  active: flag
    .optional()
    .meta({ description: 'Default true; `false` lists the deleted classes, for staff.' }),
});

const timeOrDay = z.union(
  [instant, day],
  'expected a time such as 2026-01-31T18:00:00Z, or a day such as 2026-01-31',
);

/** A range of time: instants (`to` exclusive) or local days (both inclusive). */
export const Range = z.object({
  from: timeOrDay.nullish().meta({ description: 'A time, or a local day; inclusive. Default: now.' }),
  to: timeOrDay.nullish().meta({
    description: 'A time (exclusive), or a local day (inclusive). Default: 4 weeks after `from`.',
  }),
});
export type Range = z.infer<typeof Range>;

/** The query of a list in a range of time. */
export const rangeQuery = z.object({
  from: timeOrDay
    .optional()
    .meta({ description: 'A time, or a local day of the location; inclusive. Default: now.' }),
  to: timeOrDay.optional().meta({
    description:
      'A time (exclusive), or a local day of the location (inclusive). Default: 4 weeks after `from`.',
  }),
});
