import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { pageQuery } from '#server/paging.ts';
import { idParams, MAX_INTEGER } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { ExerciseShape } from '../exercises/exercises.shapes.ts';
import type { WorkoutFavourites } from './favourites.ts';
import type { NextWorkouts } from './next-workouts.ts';
import type { Workouts } from './workouts.ts';
import {
  CopyWorkoutShape,
  CreateWorkoutShape,
  UpdateWorkoutShape,
  WorkoutQuery,
  WorkoutRoutineShape,
  WorkoutVersionShape,
} from './workouts.shapes.ts';

const route = restRoute<{
  workouts: Workouts;
  workoutFavourites: WorkoutFavourites;
  nextWorkouts: NextWorkouts;
}>(TAGS.workouts, 'content');
const versionQuery = z.object({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_INTEGER)
    .optional()
    .meta({ description: 'Return this version; absent: the current one.' }),
});

export const workoutsRest = [
  route({
    method: 'GET',
    path: '/workouts',
    operationId: 'listWorkouts',
    summary: 'Workout routines, by title',
    description:
      "Global routines, those of the caller's gym (for a SUPER_ADMIN, of all gyms), and the caller's own. A routine must match all filters; an unknown value returns an empty list.",
    auth: 'optional',
    query: WorkoutQuery,
    success: { status: 200, description: 'A page of routines.', shape: WorkoutRoutineShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { workouts }) =>
      workouts.list(filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/workouts/category/:category',
    operationId: 'listWorkoutsOfCategory',
    summary: 'Workout routines of a category such as Strength or Cardio, by title',
    description: 'Upper and lower case do not matter; an unknown category returns an empty list.',
    auth: 'optional',
    params: z.object({
      category: z.string().meta({
        description: 'The category of the routine, e.g. Strength. Upper and lower case do not matter.',
      }),
    }),
    query: pageQuery,
    success: { status: 200, description: 'A page of routines.', shape: WorkoutRoutineShape, page: true },
    handler: ({ params, query }, { workouts }) =>
      workouts.list({ category: params.category, sort: 'title' }, query),
  }),
  route({
    method: 'GET',
    // Before `/workouts/:id`, which would match it.
    path: '/workouts/next',
    operationId: 'getNextWorkout',
    summary: 'The routine that you should train next',
    description:
      'Of your own routines and your favourites the one that you have not trained for the longest time; those that you have never trained come first. Without such routines, one of your gym; if it has none either, the status is 404.',
    auth: 'required',
    success: { status: 200, description: 'The routine.', shape: WorkoutRoutineShape },
    errors: ['NOT_FOUND'],
    handler: (_request, { nextWorkouts }) => nextWorkouts.get(),
  }),
  route({
    method: 'GET',
    path: '/workouts/:id',
    operationId: 'getWorkout',
    summary: 'A routine with its blocks, exercises and sets',
    description:
      'Only its owner may read a PRIVATE routine. If a squad trains it and has not ended, the participants and invited users of the squad may read that version, too, with `?version=`.',
    auth: 'optional',
    params: idParams,
    query: versionQuery,
    success: { status: 200, description: 'The routine.', shape: WorkoutRoutineShape },
    handler: ({ params, query }, { workouts }) => workouts.get(params.id, query.version),
  }),
  route({
    method: 'GET',
    path: '/workouts/:id/versions',
    operationId: 'listWorkoutVersions',
    summary: 'The versions of a routine, the latest first',
    description: 'They stay readable after the routine was deleted.',
    auth: 'optional',
    params: idParams,
    success: { status: 200, description: 'At most the latest 200.', shape: z.array(WorkoutVersionShape) },
    handler: ({ params }, { workouts }) => workouts.versions(params.id),
  }),
  route({
    method: 'GET',
    path: '/workouts/:id/exercises',
    operationId: 'listWorkoutExercises',
    summary: 'The exercises of a routine as they are now, each once, in the order of the blocks',
    auth: 'optional',
    params: idParams,
    query: versionQuery,
    success: { status: 200, description: 'The exercises.', shape: z.array(ExerciseShape) },
    handler: async ({ params, query }, { workouts }) =>
      workouts.exercisesOf(await workouts.get(params.id, query.version)),
  }),
  route({
    method: 'POST',
    path: '/workouts',
    operationId: 'createWorkout',
    summary: 'Add a routine',
    description:
      "The exercise's modality decides which fields a set may have. A member adds a PRIVATE routine, or one for their gym (`visibility: GYM`). A GYM_ADMIN adds one for their gym, or a PRIVATE one. Only a SUPER_ADMIN adds one for everybody (PUBLIC, without `gymId`).",
    auth: 'required',
    body: CreateWorkoutShape,
    success: { status: 201, description: 'The new routine.', shape: WorkoutRoutineShape },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ body }, { workouts }) => workouts.create(body),
  }),
  route({
    method: 'PUT',
    path: '/workouts/:id',
    operationId: 'updateWorkout',
    summary: 'Change a routine',
    description:
      'Only its owner and the staff of its gym may do this; if it is global, only a SUPER_ADMIN. Absent fields are unchanged. Every change makes a new version; earlier ones stay readable by `?version=`.',
    auth: 'required',
    params: idParams,
    body: UpdateWorkoutShape,
    versioned: true,
    success: { status: 200, description: 'The changed routine.', shape: WorkoutRoutineShape },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ params, body, expectedVersion }, { workouts }) =>
      workouts.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/workouts/:id',
    operationId: 'deleteWorkout',
    summary: 'Delete a routine',
    description:
      'Only its owner and the staff of its gym may do this; if it is global, only a SUPER_ADMIN. Lists no longer contain it. Its versions stay readable by `?version=`, because past squads and trainings refer to them.',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The routine is deleted.' },
    errors: ['FORBIDDEN'],
    handler: ({ params, expectedVersion }, { workouts }) => workouts.delete(params.id, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/workouts/:id/copy',
    operationId: 'copyWorkout',
    summary: 'Copy a routine as your own',
    description: 'The copy is PRIVATE. Later changes of the original do not change it.',
    auth: 'required',
    params: idParams,
    body: CopyWorkoutShape.optional(),
    success: { status: 201, description: 'The copy.', shape: WorkoutRoutineShape },
    errors: ['CONFLICT'],
    handler: ({ params, body }, { workouts }) => workouts.copy(params.id, body),
  }),
  route({
    method: 'PUT',
    path: '/workouts/:id/favourite',
    operationId: 'addFavouriteWorkout',
    summary: 'Add a routine to your favourites',
    description: 'A user has at most 1,000, without those that they can no longer see.',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The routine.', shape: WorkoutRoutineShape },
    errors: ['CONFLICT'],
    handler: ({ params }, { workoutFavourites }) => workoutFavourites.add(params.id),
  }),
  route({
    method: 'DELETE',
    path: '/workouts/:id/favourite',
    operationId: 'removeFavouriteWorkout',
    summary: 'Remove a routine from your favourites',
    description: 'Also if it was deleted, or if you may no longer see it.',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The routine; null if you may no longer see it.',
      shape: WorkoutRoutineShape.nullable(),
    },
    handler: ({ params }, { workoutFavourites }) => workoutFavourites.remove(params.id),
  }),
];
