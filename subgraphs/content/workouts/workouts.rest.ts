import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { pageQuery } from '#server/paging.ts';
import { idParams, MAX_INTEGER } from '#server/shapes.ts';
import { ExerciseShape } from '../exercises/exercises.shapes.ts';
import type { Workouts } from './workouts.ts';
import {
  CreateWorkoutShape,
  UpdateWorkoutShape,
  WorkoutQuery,
  WorkoutRoutineShape,
  WorkoutVersionShape,
} from './workouts.shapes.ts';

const route = restRoute<{ workouts: Workouts }>();
const versionQuery = z.object({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_INTEGER)
    .optional()
    .meta({ description: 'As it was at this version; absent: as it is now.' }),
});

export const workoutsRest = [
  route({
    method: 'GET',
    path: '/workouts',
    summary: 'Workout routines, by title',
    description:
      "Everybody's, and those of the caller's gym. Filters narrow each other; an unknown value gives an empty list.",
    auth: 'optional',
    query: WorkoutQuery,
    success: { status: 200, description: 'A page of routines.', shape: WorkoutRoutineShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { workouts }) =>
      workouts.list(filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/workouts/category/:category',
    summary: 'Workout routines of a category such as Strength or Cardio, by title',
    description: 'Without regard to case; an unknown category gives an empty list.',
    auth: 'optional',
    params: z.object({ category: z.string() }),
    query: pageQuery,
    success: { status: 200, description: 'A page of routines.', shape: WorkoutRoutineShape, page: true },
    handler: ({ params, query }, { workouts }) =>
      workouts.list({ category: params.category, sort: 'title' }, query),
  }),
  route({
    method: 'GET',
    path: '/workouts/:id',
    summary: 'A routine with its blocks, exercises and sets',
    auth: 'optional',
    params: idParams,
    query: versionQuery,
    success: { status: 200, description: 'The routine.', shape: WorkoutRoutineShape },
    handler: ({ params, query }, { workouts }) => workouts.get(params.id, query.version),
  }),
  route({
    method: 'GET',
    path: '/workouts/:id/versions',
    summary: 'The versions of a routine, newest first',
    description: 'They stay when the routine is deleted.',
    auth: 'optional',
    params: idParams,
    success: { status: 200, description: 'At most the last 200.', shape: z.array(WorkoutVersionShape) },
    handler: ({ params }, { workouts }) => workouts.versions(params.id),
  }),
  route({
    method: 'GET',
    path: '/workouts/:id/exercises',
    summary: 'The exercises of a routine as the library has them, each once, in their order',
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
    summary: "Add a routine (GYM_ADMIN: to their gym's own; SUPER_ADMIN)",
    description: "The fields that a set may have follow from its exercise's modality.",
    auth: 'required',
    body: CreateWorkoutShape,
    success: { status: 201, description: 'The new routine.', shape: WorkoutRoutineShape },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ body }, { workouts }) => workouts.create(body),
  }),
  route({
    method: 'PUT',
    path: '/workouts/:id',
    summary: 'Change a routine; its version counts up',
    description: 'What is absent stays. The version before stays readable by `?version=`.',
    auth: 'required',
    params: idParams,
    body: UpdateWorkoutShape,
    versioned: true,
    success: { status: 200, description: 'The routine as it is now.', shape: WorkoutRoutineShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, body, expectedVersion }, { workouts }) =>
      workouts.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/workouts/:id',
    summary: 'Take a routine out of the lists',
    description: 'Its versions stay readable by `?version=`, for sessions of the past.',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'It is gone from the lists.' },
    errors: ['FORBIDDEN'],
    handler: ({ params, expectedVersion }, { workouts }) => workouts.delete(params.id, expectedVersion),
  }),
];
