import { z } from 'zod';
import { Reply, restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Exercises } from './exercises.ts';
import {
  CreateExerciseShape,
  ExerciseQuery,
  ExerciseShape,
  FacetShape,
  UpdateExerciseShape,
} from './exercises.shapes.ts';

const route = restRoute<{ exercises: Exercises }>(TAGS.exercises, 'content');

export const exercisesRest = [
  route({
    method: 'GET',
    path: '/exercises',
    operationId: 'listExercises',
    summary: 'The exercise library, by name',
    description:
      "With the exercises of the caller's gym (for a SUPER_ADMIN, of all gyms), and the caller's custom exercises. An exercise must match all filters; an unknown value returns an empty list.",
    auth: 'optional',
    query: ExerciseQuery,
    success: { status: 200, description: 'A page of exercises.', shape: ExerciseShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { exercises }) =>
      exercises.list(filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/exercises/categories',
    operationId: 'listExerciseCategories',
    summary: 'The categories of exercises, by name',
    auth: 'optional',
    success: {
      status: 200,
      description: 'Each category with the number of its exercises.',
      shape: z.array(FacetShape),
    },
    handler: (_request, { exercises }) => exercises.categories(),
  }),
  route({
    method: 'GET',
    path: '/exercises/:id',
    operationId: 'getExercise',
    summary: 'One exercise',
    auth: 'optional',
    params: idParams,
    success: { status: 200, description: 'The exercise.', shape: ExerciseShape },
    handler: ({ params }, { exercises }) => exercises.get(params.id),
  }),
  route({
    method: 'GET',
    path: '/exercises/:id/muscles.svg',
    operationId: 'getMuscleMap',
    summary: 'A picture of the muscles that an exercise trains',
    description: 'From the front and from behind. Its colours follow the light or dark scheme of the viewer.',
    auth: 'optional',
    params: idParams,
    success: { status: 200, description: 'The picture.', contentType: 'image/svg+xml' },
    handler: async ({ params }, { exercises }) =>
      new Reply(200, await exercises.muscleMap(params.id), {
        'Content-Type': 'image/svg+xml; charset=utf-8',
        'Cache-Control': 'private, no-cache',
      }),
  }),
  route({
    method: 'POST',
    path: '/exercises',
    operationId: 'createExercise',
    summary: 'Add an exercise',
    description:
      'A GYM_ADMIN adds an exercise to their gym, a SUPER_ADMIN to the library or to any gym. With `custom: true` they add it for themselves, as members always do.',
    auth: 'required',
    body: CreateExerciseShape,
    success: { status: 201, description: 'The new exercise.', shape: ExerciseShape },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { exercises }) => exercises.create(body),
  }),
  route({
    method: 'PUT',
    path: '/exercises/:id',
    operationId: 'updateExercise',
    summary: 'Change an exercise',
    description:
      'Only the staff of its gym may do this; if it is custom, only its owner; if it is of the library, only a SUPER_ADMIN. Absent fields are unchanged.',
    auth: 'required',
    params: idParams,
    body: UpdateExerciseShape,
    versioned: true,
    success: { status: 200, description: 'The changed exercise.', shape: ExerciseShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, body, expectedVersion }, { exercises }) =>
      exercises.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/exercises/:id',
    operationId: 'deleteExercise',
    summary: 'Delete an exercise',
    description:
      'Only the staff of its gym may do this; if it is custom, only its owner; if it is of the library, only a SUPER_ADMIN. It leaves lists and search. Routines that use it can still name it.',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The exercise is deleted.' },
    errors: ['FORBIDDEN'],
    handler: ({ params, expectedVersion }, { exercises }) => exercises.delete(params.id, expectedVersion),
  }),
  route({
    method: 'GET',
    path: '/muscles',
    operationId: 'listMuscles',
    summary: 'The muscles that exercises train, by name',
    auth: 'optional',
    success: {
      status: 200,
      description: 'Each muscle with the number of exercises that train it as a primary muscle.',
      shape: z.array(FacetShape),
    },
    handler: (_request, { exercises }) => exercises.muscles(),
  }),
  route({
    method: 'GET',
    path: '/equipment',
    operationId: 'listEquipment',
    summary: 'The equipment that exercises need, by name',
    auth: 'optional',
    success: {
      status: 200,
      description: 'Each piece with the number of exercises that need it.',
      shape: z.array(FacetShape),
    },
    handler: (_request, { exercises }) => exercises.equipment(),
  }),
];
