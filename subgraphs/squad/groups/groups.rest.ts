import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { CLUB_RATE } from '../rates.ts';
import type { Groups } from './groups.ts';
import { CreateGroupShape, GroupShape } from './groups.shapes.ts';

const route = restRoute<{ groups: Groups }>(TAGS.clubs, 'squad');

export const groupsRest = [
  route({
    method: 'GET',
    path: '/groups',
    operationId: 'listClubs',
    summary: "The clubs of the caller's gym",
    auth: 'required',
    query: gymQuery,
    success: { status: 200, description: 'The clubs, sorted by name.', shape: z.array(GroupShape) },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { groups }) => groups.list(query.gymId),
  }),
  route({
    method: 'POST',
    path: '/groups',
    operationId: 'createClub',
    summary: "Create a club in the caller's gym",
    description:
      'A user may be a member of at most 10 clubs that they have created, and creates at most 10 a minute.',
    auth: 'required',
    rateLimit: CLUB_RATE,
    body: CreateGroupShape,
    success: { status: 201, description: 'The club; the caller is its first member.', shape: GroupShape },
    errors: ['CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body }, { groups }) => groups.create(body),
  }),
  route({
    method: 'POST',
    path: '/groups/:id/join',
    operationId: 'joinClub',
    summary: 'Join a club',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The club after the change.', shape: GroupShape },
    errors: ['CONFLICT', 'GYM_REQUIRED'],
    handler: ({ params }, { groups }) => groups.join(params.id),
  }),
  route({
    method: 'POST',
    path: '/groups/:id/leave',
    operationId: 'leaveClub',
    summary: 'Leave a club',
    description: 'A club is deleted when its last member leaves.',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The club after the change; if it was deleted, without members.',
      shape: GroupShape,
    },
    errors: ['GYM_REQUIRED'],
    handler: ({ params }, { groups }) => groups.leave(params.id),
  }),
];
