import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import type { Exercises } from './exercises.ts';
import {
  CreateExerciseShape,
  ExerciseQuery,
  ExerciseShape,
  FacetShape,
  UpdateExerciseShape,
} from './exercises.shapes.ts';

const route = restRoute<{ exercises: Exercises }>();

export const exercisesRest = [
  route({
    method: 'GET',
    path: '/exercises',
    summary: 'The exercise library, by name',
    description: 'Filters narrow each other; an unknown value gives an empty list.',
    auth: 'optional',
    query: ExerciseQuery,
    success: { status: 200, description: 'A page of exercises.', shape: ExerciseShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { exercises }) =>
      exercises.list(filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/exercises/categories',
    summary: 'The categories of exercises, by name',
    auth: 'optional',
    success: { status: 200, description: 'Each with its number of exercises.', shape: z.array(FacetShape) },
    handler: (_request, { exercises }) => exercises.categories(),
  }),
  route({
    method: 'GET',
    path: '/exercises/:id',
    summary: 'One exercise',
    auth: 'optional',
    params: idParams,
    success: { status: 200, description: 'The exercise.', shape: ExerciseShape },
    handler: ({ params }, { exercises }) => exercises.get(params.id),
  }),
  route({
    method: 'POST',
    path: '/exercises',
    summary: "Add an exercise (GYM_ADMIN: to their gym's own; SUPER_ADMIN)",
    auth: 'required',
    body: CreateExerciseShape,
    success: { status: 201, description: 'The new exercise.', shape: ExerciseShape },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { exercises }) => exercises.create(body),
  }),
  route({
    method: 'PUT',
    path: '/exercises/:id',
    summary: 'Change an exercise',
    description: 'What is absent stays.',
    auth: 'required',
    params: idParams,
    body: UpdateExerciseShape,
    versioned: true,
    success: { status: 200, description: 'The exercise as it is now.', shape: ExerciseShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, body, expectedVersion }, { exercises }) =>
      exercises.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/exercises/:id',
    summary: 'Take an exercise out of the library',
    description: 'Routines that use it keep naming it.',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'It is gone from lists and search.' },
    errors: ['FORBIDDEN'],
    handler: ({ params, expectedVersion }, { exercises }) => exercises.delete(params.id, expectedVersion),
  }),
  route({
    method: 'GET',
    path: '/muscles',
    summary: 'The muscles that exercises train, by name',
    auth: 'optional',
    success: {
      status: 200,
      description: 'Each with the number of exercises that train it first.',
      shape: z.array(FacetShape),
    },
    handler: (_request, { exercises }) => exercises.muscles(),
  }),
  route({
    method: 'GET',
    path: '/equipment',
    summary: 'The equipment that exercises need, by name',
    auth: 'optional',
    success: {
      status: 200,
      description: 'Each with the number of exercises that need it.',
      shape: z.array(FacetShape),
    },
    handler: (_request, { exercises }) => exercises.equipment(),
  }),
];
