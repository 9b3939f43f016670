import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { OnlineUsers } from './online-users.ts';
import { GoOnlineShape, OnlineUserShape, PresenceShape } from './presence.shapes.ts';

const route = restRoute<{ onlineUsers: OnlineUsers }>(TAGS.presence, 'squad');

export const presenceRest = [
  route({
    method: 'GET',
    path: '/online-users',
    operationId: 'listOnlineUsers',
    summary: "The online users of the caller's gym",
    description:
      'Without invisible users, and without users who have blocked the caller or whom the caller has blocked.',
    auth: 'required',
    query: gymQuery,
    success: { status: 200, description: 'The longest online first.', shape: z.array(OnlineUserShape) },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { onlineUsers }) => onlineUsers.list(query.gymId),
  }),
  route({
    method: 'PUT',
    path: '/presence',
    operationId: 'setMyPresence',
    summary: "Announce the caller's presence to their gym, or change it",
    description:
      'The caller stays online for 30 seconds, or as long as a socket or a subscription of theirs is open. Absent fields keep their values.',
    auth: 'required',
    body: GoOnlineShape,
    success: { status: 200, description: 'The presence as the caller sees it.', shape: PresenceShape },
    errors: ['CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body }, { onlineUsers }) => onlineUsers.goOnline(body),
  }),
];
