import { eventSource, type EventSink } from '#server/event-source.ts';
import type { Audience } from '#server/audience.ts';
import { EVENT_KIND, type EventKind } from '#server/event-kind.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { watchModule } from './module-watch.ts';
import type { OnlineUsers } from './online-users.ts';
import type { OnlineUsersUpdate } from './presence.shapes.ts';

interface OnlineUsersEvent {
  onlineUsersUpdated: OnlineUsersUpdate;
  [EVENT_KIND]: EventKind;
}

/** The maximum number of events that wait for a viewer who reads slowly. */
const VIEWER_LIMIT = 1_000;
/** The maximum for a gateway: one change makes an event for each addressed member, and there may be thousands of members. */
const AUDIENCE_LIMIT = 20_000;

const eventOf = (update: OnlineUsersUpdate): OnlineUsersEvent => ({
  onlineUsersUpdated: update,
  [EVENT_KIND]: update.full ? 'whole' : 'partial',
});

async function watchForAudience(
  stream: EventSink<OnlineUsersEvent>,
  gymId: string | null | undefined,
  onlineUsers: OnlineUsers,
  audience: Audience,
): Promise<void> {
  const board = await onlineUsers.watchForAudience(audience, {
    gymId,
    deliver: (update) => push(eventOf(update)),
  });
  stream.onStop(board.stop);
  stream.onStop(watchModule(onlineUsers, { onOff: () => stream.end() }));
  const push = audience.startWith(stream, {
    onJoin: (userId, { report, push: pushTo }) =>
      onlineUsers.attend(userId, board, { report, push: (update) => pushTo(eventOf(update)) }),
    sendWholeState: () => board.refresh(),
  });
  push(eventOf(board.snapshot()));
}

export const presenceGraphql = {
  Query: {
    onlineUsers: (_root, { gymId }, { onlineUsers }) => onlineUsers.list(gymId),
  },
  Mutation: {
    goOnline: (_root, { input }, { onlineUsers }) => onlineUsers.goOnline(input),
  },
  Subscription: {
    onlineUsersUpdated: {
      subscribe: (_root, { gymId }, { onlineUsers, audience }) =>
        eventSource<OnlineUsersEvent>(
          async (stream) => {
            if (audience) return watchForAudience(stream, gymId, onlineUsers, audience);
            stream.onStop(await onlineUsers.connect());
            stream.onStop(watchModule(onlineUsers, { onOff: () => stream.end() }));
            const board = await onlineUsers.watch({
              gymId,
              deliver: (update) => stream.push(eventOf(update)),
            });
            stream.onStop(board.stop);
            stream.push(eventOf(board.snapshot()));
          },
          { whenFull: 'start-again', limit: audience ? AUDIENCE_LIMIT : VIEWER_LIMIT },
        ),
    },
  },
  OnlineUser: {
    user: ({ userId }) => ({ id: userId }),
  },
  OnlineUsersUpdate: {
    users: ({ users }) => [...users],
    removed: ({ removed }) => [...removed],
  },
  User: {
    presence: ({ id }, _args, { onlineUsers }) => onlineUsers.presenceOf(id),
  },
} satisfies Resolvers;
