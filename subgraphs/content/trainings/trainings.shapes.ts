import { z } from 'zod';
import { changeOf, orDefault } from '#server/input-shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { day, instant, MAX_INTEGER, timezone, uuid, versionNumber } from '#server/shapes.ts';
import { SET_TYPES } from '../workouts/workout-routine.entity.ts';
import { SetShape } from '../workouts/workouts.shapes.ts';

export type { TrainingEntry, TrainingSet } from './training.entity.ts';

export const MAX_SETS = 500;

const SET_ID = /^[\w-]{1,64}$/;
export const setId = z
  .string()
  .regex(SET_ID, 'expected 1 to 64 letters, digits, hyphens or underscores, e.g. a UUID');

/** What a set may measure. */
export const measures = {
  reps: SetShape.shape.reps.unwrap().nullable(),
  weightKg: SetShape.shape.weightKg.unwrap().nullable(),
  assistedKg: SetShape.shape.assistedKg.unwrap().nullable(),
  durationSeconds: SetShape.shape.durationSeconds.unwrap().nullable(),
  distanceMeters: SetShape.shape.distanceMeters.unwrap().nullable(),
  rpe: SetShape.shape.rpe.unwrap().nullable(),
  restSeconds: SetShape.shape.restSeconds.unwrap().nullable(),
};
const type = z.enum(SET_TYPES, `expected one of ${SET_TYPES.join(', ')}`);

export const TrainingSetShape = z
  .object({ id: z.string(), type: z.enum(SET_TYPES), ...measures, completedAt: z.iso.datetime().nullable() })
  .meta({ id: 'TrainingSet' });

export const TrainingEntryShape = z
  .object({ exerciseId: uuid(), sets: z.array(TrainingSetShape) })
  .meta({ id: 'TrainingEntry' });

export const TrainingShape = z
  .object({
    id: uuid(),
    userId: uuid(),
    title: z.string().nullable(),
    routineId: uuid().nullable(),
    routineVersion: z.int().nullable(),
    squadId: uuid().nullable(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    localDate: z.iso.date(),
    minutes: z.int().nullable(),
    note: z.string().nullable(),
    entries: z.array(TrainingEntryShape),
    volumeKg: z.number(),
    restEndsAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    version: z.int(),
  })
  .meta({ id: 'Training' });
export type TrainingShape = z.infer<typeof TrainingShape>;
/** A training of a list of the graph, whose entries are read only if they are selected. */
export type ListedTraining = Omit<TrainingShape, 'entries'> & Partial<Pick<TrainingShape, 'entries'>>;

const optionalMeasures = {
  reps: measures.reps.optional(),
  weightKg: measures.weightKg.optional(),
  assistedKg: measures.assistedKg.optional(),
  durationSeconds: measures.durationSeconds.optional(),
  distanceMeters: measures.distanceMeters.optional(),
  rpe: measures.rpe.optional(),
  restSeconds: measures.restSeconds.optional(),
};

/** A set of an input. Whether its measures fit the modality of its exercise is checked by the rule, which reads the exercise. */
export const SetInputShape = z
  .object({
    id: setId.nullish(),
    type: orDefault(type, 'NORMAL'),
    ...optionalMeasures,
    completedAt: instant.nullish(),
  })
  .meta({ graphType: 'TrainingSetInput' });
export type SetInput = z.infer<typeof SetInputShape>;

const entries = z
  .array(
    z
      .object({ exerciseId: uuid(), sets: orDefault(z.array(SetInputShape).max(MAX_SETS), []) })
      .meta({ graphType: 'TrainingEntryInput' }),
  )
  .max(MAX_SETS);
export type EntryInput = z.infer<typeof entries>[number];

const fields = {
  title: z.string().trim().min(1).max(120).nullable(),
  routineId: uuid().nullable(),
  routineVersion: z.int().min(1).max(MAX_INTEGER).nullable(),
  startedAt: instant,
  endedAt: instant.nullable(),
  minutes: z.int().min(0).max(1_440).nullable(),
  note: z.string().trim().max(5_000).nullable(),
  entries,
};

export const LogTrainingShape = z
  .object({
    title: fields.title.optional(),
    routineId: fields.routineId.optional(),
    routineVersion: fields.routineVersion.optional(),
    startedAt: instant.nullish(),
    endedAt: fields.endedAt.optional(),
    minutes: fields.minutes.optional(),
    note: fields.note.optional(),
    entries: orDefault(entries, []),
    timezone: timezone.nullish(),
  })
  .meta({ graphType: 'LogTrainingInput' });
export type NewTraining = z.infer<typeof LogTrainingShape>;

export const UpdateTrainingShape = z
  .object({ ...changeOf(fields), timezone: timezone.nullish(), version: versionNumber.nullish() })
  .meta({ graphType: 'UpdateTrainingInput' });
export type TrainingChange = z.infer<typeof UpdateTrainingShape>;

/** One set of a running or finished training; its id is in the path. */
export const PutSetShape = z
  .object({
    exerciseId: uuid().nullish(),
    type: orDefault(type, 'NORMAL'),
    ...optionalMeasures,
    completedAt: instant.nullish(),
  })
  .meta({ graphType: 'LogTrainingSetInput' });

export const PutSetIdShape = z.object({ setId });

export const setParams = z.object({
  id: uuid().meta({ description: 'The id of the training.' }),
  // The rule checks it, because a wrong path is NOT_FOUND, but the client has chosen this id.
  setId: z.string().meta({
    pattern: SET_ID.source,
    description:
      'The id of the set, which the client chooses: 1 to 64 letters, digits, hyphens or underscores, e.g. a UUID. It is unique in its training.',
  }),
});

export const CopyTrainingShape = z
  .object({ startedAt: instant.nullish(), timezone: timezone.nullish() })
  .meta({ graphType: 'CopyTrainingInput' });

export const TrainingQuery = pageQuery.extend({
  from: day.optional().meta({ description: 'First local day of `startedAt`.' }),
  to: day.optional().meta({ description: 'Last local day of `startedAt`, included.' }),
});
export interface TrainingFilter {
  from?: string | null | undefined;
  to?: string | null | undefined;
}
