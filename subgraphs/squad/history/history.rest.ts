import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import type { History } from './history.ts';
import { idOrName } from '#server/shapes.ts';
import { SquadWorkoutShape } from './history.shapes.ts';

const route = restRoute<{ history: History }>(TAGS.squadHistory, 'squad');

export const historyRest = [
  route({
    method: 'GET',
    path: '/history/:userId',
    operationId: 'listSquadHistory',
    summary: 'Past squad workouts of the caller',
    auth: 'required',
    params: z.object({ userId: idOrName().meta({ description: "The caller's own user id." }) }),
    query: pageQuery,
    success: { status: 200, description: 'Newest first.', shape: SquadWorkoutShape, page: true },
    handler: ({ params, query }, { history }) => history.of(params.userId, query),
  }),
];
