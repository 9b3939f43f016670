import { z } from 'zod';
import { callers } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { FirstVisits } from './first-visits.ts';
import { FirstVisitShape, FirstVisitsFilter } from './first-visits.shapes.ts';

const route = restRoute<{ firstVisits: FirstVisits }>(TAGS.firstVisits);

export const firstVisitsRest = [
  route({
    method: 'GET',
    path: '/first-visits',
    operationId: 'listFirstVisits',
    summary: 'First visits of new members',
    only: callers('GYM_ADMIN: of their gym; SUPER_ADMIN: of any gym', 'GYM_ADMIN', 'SUPER_ADMIN'),
    description: 'First visits of deployed onboardings, the earliest first; at most 1,000.',
    auth: 'required',
    query: FirstVisitsFilter.extend(gymQuery.shape),
    success: {
      status: 200,
      description: 'The members, with location and time.',
      shape: z.array(FirstVisitShape),
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { firstVisits }) => firstVisits.list(query),
  }),
];
