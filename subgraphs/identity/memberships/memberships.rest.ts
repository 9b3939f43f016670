import { z } from 'zod';
import { SERVICES } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { SERVICE_RATE } from '../rates.ts';
import type { MemberStates } from './member-states.ts';
import { MembershipsQuery, MemberStateShape } from './memberships.shapes.ts';

const route = restRoute<{ memberStates: MemberStates }>(TAGS.memberships);

export const membershipsRest = [
  route({
    method: 'GET',
    path: '/memberships',
    operationId: 'listMemberships',
    summary: 'The memberships of users at this moment',
    only: SERVICES,
    auth: 'required',
    query: MembershipsQuery,
    rateLimit: SERVICE_RATE,
    success: {
      status: 200,
      description: 'The users that exist, in no order.',
      shape: z.array(MemberStateShape),
    },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { memberStates }) => memberStates.of(query.userIds),
  }),
];
