import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery } from '#server/shapes.ts';
import type { OnlineUsers } from './online-users.ts';
import { OnlineUserShape } from './presence.shapes.ts';

const route = restRoute<{ onlineUsers: OnlineUsers }>();

export const presenceRest = [
  route({
    method: 'GET',
    path: '/online-users',
    summary: "Who of the caller's gym is online",
    description: 'Without those who are invisible, and those of whom one has blocked the other.',
    auth: 'required',
    query: gymQuery,
    success: { status: 200, description: 'The longest online first.', shape: z.array(OnlineUserShape) },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { onlineUsers }) => onlineUsers.list(query.gymId),
  }),
];
