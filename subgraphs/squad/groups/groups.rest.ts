import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery } from '#server/shapes.ts';
import type { Groups } from './groups.ts';
import { GroupShape } from './groups.shapes.ts';

const route = restRoute<{ groups: Groups }>();

export const groupsRest = [
  route({
    method: 'GET',
    path: '/groups',
    summary: "The clubs of the caller's gym",
    auth: 'required',
    query: gymQuery,
    success: { status: 200, description: 'By name.', shape: z.array(GroupShape) },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { groups }) => groups.list(query.gymId),
  }),
];
