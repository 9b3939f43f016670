import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Classes } from './classes.ts';
import {
  ClassOccurrenceShape,
  CreateGymClassInput,
  GymClassShape,
  gymClassesQuery,
  rangeQuery,
  UpdateGymClassInput,
} from './classes.shapes.ts';

const route = restRoute<{ classes: Classes }>(TAGS.classes, 'classes');

export const classesRest = [
  route({
    method: 'GET',
    path: '/classes',
    operationId: 'listClasses',
    summary: "The classes of the caller's gym",
    scopes: ['classes:read'],
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape).extend(gymClassesQuery.shape),
    success: {
      status: 200,
      description: 'A page of the classes by title.',
      shape: GymClassShape,
      page: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { classes }) => classes.list(query),
  }),
  route({
    method: 'POST',
    path: '/classes',
    operationId: 'createClass',
    summary: 'Add a class',
    description:
      'Its sessions are made some weeks ahead, again and again, by its recurrence rule in the time zone of the location.',
    only: GYM_STAFF,
    auth: 'required',
    body: CreateGymClassInput,
    success: { status: 201, description: 'The new class.', shape: GymClassShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ body }, { classes }) => classes.create(body),
  }),
  route({
    method: 'GET',
    path: '/classes/:id',
    operationId: 'getClass',
    summary: 'A class',
    scopes: ['classes:read'],
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The class.', shape: GymClassShape },
    handler: ({ params }, { classes }) => classes.get(params.id),
  }),
  route({
    method: 'PUT',
    path: '/classes/:id',
    operationId: 'updateClass',
    summary: 'Change a class',
    description:
      'Absent fields are unchanged. Coming sessions that nobody has edited follow, with their ids and bookings. `CONFLICT` if one of them has more people than the new capacity.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    body: UpdateGymClassInput,
    versioned: true,
    success: { status: 200, description: 'The changed class.', shape: GymClassShape },
    errors: ['FORBIDDEN', 'CONFLICT', 'VERSION_CONFLICT'],
    handler: ({ params, body, expectedVersion }, { classes }) =>
      classes.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/classes/:id',
    operationId: 'deleteClass',
    summary: 'Delete a class',
    description: 'Its coming sessions are cancelled with their bookings; past sessions stay.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The class is no longer active.' },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { classes }) => classes.remove(params.id),
  }),
  route({
    method: 'GET',
    path: '/classes/:id/occurrences',
    operationId: 'listClassOccurrences',
    summary: 'When a class takes place by its rule',
    description:
      'Computed, without the changes of its sessions, also those with the scope FOLLOWING. At most two years, and 6,000 occurrences.',
    scopes: ['classes:read'],
    auth: 'required',
    params: idParams,
    query: rangeQuery,
    success: {
      status: 200,
      description: 'The occurrences, the earliest first.',
      shape: z.array(ClassOccurrenceShape),
    },
    handler: ({ params, query }, { classes }) => classes.occurrences(params.id, query),
  }),
];
