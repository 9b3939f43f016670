import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { eventSource } from '#server/event-source.ts';
import { EVENT_KIND, type EventKind } from '#server/event-kind.ts';
import { watchModule } from '../presence/module-watch.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import type { InviteShape } from './invites.shapes.ts';

export const invitesGraphql = {
  Query: {
    squadInvites: async (_root, { box, ...page }, { invites }) =>
      connectionOf(await invites.list(box === 'SENT' ? 'sent' : 'received', pageOf(page))),
  },
  Mutation: {
    sendSquadInvite: (_root, { input }, { invites }) => invites.send(input),
    respondToSquadInvite: (_root, { input }, { invites }) => invites.respond(input),
    revokeSquadInvite: async (_root, { input }, { invites }) => {
      await invites.revoke(input.inviteId);
      return true;
    },
  },
  Subscription: {
    squadInviteReceived: {
      subscribe: (_root, _args, { invites, onlineUsers }) =>
        eventSource<{ squadInviteReceived: InviteShape; [EVENT_KIND]: EventKind }>(async (stream) => {
          stream.onStop(await onlineUsers.connect());
          stream.onStop(watchModule(onlineUsers, { onOff: () => stream.end() }));
          stream.onStop(
            await invites.watch({
              onReceived: (invite) => stream.push({ squadInviteReceived: invite, [EVENT_KIND]: 'next' }),
              onUpdated: () => undefined,
            }),
          );
        }),
    },
  },
  SquadInvite: {
    from: ({ fromUserId }) => ({ id: fromUserId }),
    to: ({ toUserId }) => ({ id: toUserId }),
  },
} satisfies Resolvers;
