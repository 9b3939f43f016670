import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import type { Blocks } from './blocks.ts';

const route = restRoute<{ blocks: Blocks }>(TAGS.blocks);
const userParams = z.object({ userId: uuid().meta({ description: "The user's id." }) });

export const blocksRest = [
  route({
    method: 'GET',
    path: '/blocks',
    operationId: 'listBlockedUsers',
    summary: 'Ids of users whom the caller has blocked',
    auth: 'required',
    success: { status: 200, description: 'Ids of users.', shape: z.array(z.string()) },
    handler: (_request, { blocks }) => blocks.list(),
  }),
  route({
    method: 'POST',
    path: '/blocks/:userId',
    operationId: 'blockUser',
    summary: 'Block a user',
    description:
      'The two no longer see each other online, cannot invite each other, and no longer train together. The other user is not notified. A user blocks at most 2,000 others.',
    auth: 'required',
    params: userParams,
    success: { status: 204, description: 'The user is blocked.' },
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    handler: ({ params }, { blocks }) => blocks.block(params.userId),
  }),
  route({
    method: 'DELETE',
    path: '/blocks/:userId',
    operationId: 'unblockUser',
    summary: 'Unblock a user',
    auth: 'required',
    params: userParams,
    success: { status: 204, description: 'The user is not blocked.' },
    handler: ({ params }, { blocks }) => blocks.unblock(params.userId),
  }),
];
