import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { exerciseOf, graphClient, socketOf, subscribed, type Person } from './support/people.ts';

let platform: TestPlatform;
let exerciseId: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content', 'squad'], gateway: true });
  exerciseId = (await exerciseOf(platform)).id;
});
afterAll(() => platform.stop());

/** The actions of a squad by one door. Each resolves to the answer that the acting user gets. */
interface Sender {
  door: string;
  invite(from: Actor, toUserId: string, squadId?: string): Promise<{ id: string; squadId: string }>;
  accept(by: Actor, inviteId: string): Promise<{ status: string }>;
  join(by: Actor, squadId: string): Promise<{ revision: number }>;
  update(by: Actor, squadId: string, setIndex: number): Promise<number>;
  write(by: Actor, squadId: string, text: string): Promise<{ id: string; seq: number }>;
}
interface Actor extends Person {
  socket: SquadClient;
}

/** The server to which requests are sent: the service at its own port, or the gateway. */
type Place = 'squad' | 'gateway';
const squadUrlAt = (place: Place) =>
  place === 'gateway' ? `${platform.url(place)}/squad` : platform.url(place);

const sendersAt = (place: Place): Sender[] => {
  const rest = async (by: Person, method: string, path: string, body?: object) => {
    const answer = await platform.rest(place, method, place === 'gateway' ? `/squad${path}` : path, {
      token: by.token,
      ...(body && { body }),
    });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const graph = async (by: Person, query: string, variables: object) => {
    const { data, errors } = await platform.graph(place, query, variables, { token: by.token });
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };

  return [
    {
      door: 'REST',
      invite: (from, toUserId, squadId) =>
        rest(from, 'POST', '/invites', { toUserId, ...(squadId && { squadId }) }),
      accept: (by, inviteId) => rest(by, 'POST', `/invites/${inviteId}/respond`, { accept: true }),
      join: (by, squadId) => rest(by, 'POST', `/squads/${squadId}/join`),
      update: async (by, squadId, setIndex) =>
        (
          await rest(by, 'POST', `/squads/${squadId}/workout`, {
            eventId: randomUUID(),
            exerciseIndex: 0,
            exerciseId,
            setIndex,
            phase: 'REST',
            set: { reps: 8 },
          })
        ).revision,
      write: (by, squadId, text) =>
        rest(by, 'POST', `/squads/${squadId}/messages`, { text, clientId: randomUUID() }),
    },
    {
      door: 'graph',
      invite: async (from, toUserId, squadId) =>
        (
          await graph(
            from,
            'mutation($i: SendSquadInviteInput!) { sendSquadInvite(input: $i) { id squadId } }',
            { i: { toUserId, squadId } },
          )
        ).sendSquadInvite,
      accept: async (by, inviteId) =>
        (
          await graph(
            by,
            'mutation($i: RespondToSquadInviteInput!) { respondToSquadInvite(input: $i) { status } }',
            { i: { inviteId, accept: true } },
          )
        ).respondToSquadInvite,
      join: async (by, squadId) =>
        (
          await graph(by, 'mutation($i: SquadInput!) { joinSquad(input: $i) { revision } }', {
            i: { squadId },
          })
        ).joinSquad,
      update: async (by, squadId, setIndex) =>
        (
          await graph(
            by,
            'mutation($i: UpdateSquadWorkoutInput!) { updateSquadWorkout(input: $i) { revision } }',
            {
              i: {
                squadId,
                eventId: randomUUID(),
                exerciseIndex: 0,
                exerciseId,
                setIndex,
                phase: 'REST',
                set: { reps: 8 },
              },
            },
          )
        ).updateSquadWorkout.revision,
      write: async (by, squadId, text) =>
        (
          await graph(by, 'mutation($i: SendSquadMessageInput!) { sendSquadMessage(input: $i) { id seq } }', {
            i: { squadId, text, clientId: randomUUID() },
          })
        ).sendSquadMessage,
    },
    {
      door: 'socket',
      invite: async (from, toUserId, squadId) =>
        (await from.socket.send('send_squad_invite', { toUserId, ...(squadId && { squadId }) })).invite,
      accept: async (by, inviteId) =>
        (await by.socket.send('respond_squad_invite', { inviteId, accept: true })).invite,
      join: async (by, squadId) => (await by.socket.send('join_squad', { squadId })).session,
      update: async (by, squadId, setIndex) =>
        (
          await by.socket.send('update_workout', {
            squadId,
            eventId: randomUUID(),
            exerciseIndex: 0,
            exerciseId,
            setIndex,
            phase: 'REST',
            set: { reps: 8 },
          })
        ).revision,
      write: async (by, squadId, text) =>
        (await by.socket.send('send_squad_message', { squadId, text, clientId: randomUUID() })).message,
    },
  ];
};

const cases = (['squad', 'gateway'] as const).flatMap((place) =>
  sendersAt(place).map((sender) => ({ place, door: sender.door, sender })),
);

describe.each(cases)(
  'invite, join, workout and chat, sent by $door to the port of the $place',
  ({ place, sender }) => {
    test('reach sockets and subscriptions with the same revisions', async () => {
      const [hostPerson, guestPerson] = await Promise.all([platform.register(), platform.register()]);
      const host: Actor = { ...hostPerson, socket: await socketOf(platform, hostPerson, squadUrlAt(place)) };
      const guest: Actor = {
        ...guestPerson,
        socket: await socketOf(platform, guestPerson, squadUrlAt(place)),
      };
      const guestDevice = await socketOf(platform, guestPerson, squadUrlAt(place));
      const guestGraph = graphClient(platform.url(place), guest.token);
      const hostGraph = graphClient(platform.url(place), host.token);
      const invites = await subscribed<{ squadInviteReceived: { id: string; from: { id: string } } }>(
        guestGraph,
        'subscription { squadInviteReceived { id squadId from { id } status } }',
      );

      const invite = await sender.invite(host, guest.id);
      expect(
        (await guest.socket.next('squad_invite_received', (data) => data.invite.id === invite.id)).invite,
      ).toMatchObject({ fromUserId: host.id, status: 'PENDING', squadId: invite.squadId });
      expect(
        (await guestDevice.next('squad_invite_received', (data) => data.invite.id === invite.id)).invite
          .squadId,
      ).toBe(invite.squadId);
      expect(
        (await invites.next((data) => data.squadInviteReceived.id === invite.id)).squadInviteReceived.from.id,
      ).toBe(host.id);

      expect((await sender.accept(guest, invite.id)).status).toBe('ACCEPTED');
      expect(
        (await host.socket.next('squad_invite_updated', (data) => data.invite.status === 'ACCEPTED')).invite
          .id,
      ).toBe(invite.id);

      const { squadId } = invite;
      const before = (await host.socket.send('join_squad', { squadId })).session.revision;
      type Update = {
        squadUpdated: {
          revision: number;
          status: string;
          participants: { user: { id: string }; setIndex: number; phase: string }[];
        };
      };
      const updates = await subscribed<Update>(
        hostGraph,
        'subscription($s: ID!) { squadUpdated(squadId: $s, fromRevision: 0) { id revision status participants { user { id } setIndex phase } } }',
        { s: squadId },
      );
      const messages = await subscribed<{
        squadMessageAdded: { id: string; text: string; user: { id: string }; seq: number };
      }>(
        hostGraph,
        'subscription($s: ID!) { squadMessageAdded(squadId: $s, fromSeq: 0) { id text seq user { id } } }',
        {
          s: squadId,
        },
      );

      const { revision: joinedAt } = await sender.join(guest, squadId);
      expect(joinedAt).toBe(before + 1);
      expect(await host.socket.next('squad_joined', (data) => data.userId === guest.id)).toMatchObject({
        squadId,
        revision: joinedAt,
      });
      expect(
        (await updates.next((data) => data.squadUpdated.revision === joinedAt)).squadUpdated.participants.map(
          ({ user }) => user.id,
        ),
      ).toEqual([host.id, guest.id]);

      const revision = await sender.update(guest, squadId, 3);
      expect(revision).toBe(joinedAt + 1);
      const onSocket = await host.socket.next('squad_updated', (data) => data.revision === revision);
      expect(onSocket).toMatchObject({
        squadId,
        status: 'ACTIVE',
        participant: { userId: guest.id, setIndex: 3, phase: 'REST', lastSet: { reps: 8 }, setsDone: 1 },
      });
      const inGraph = await updates.next((data) => data.squadUpdated.revision === revision);
      expect(inGraph.squadUpdated).toMatchObject({
        status: 'ACTIVE',
        participants: [{ user: { id: host.id } }, { user: { id: guest.id }, setIndex: 3, phase: 'REST' }],
      });

      const written = await sender.write(guest, squadId, 'one more set?');
      expect(
        (await host.socket.next('squad_message', (data) => data.message.id === written.id)).message,
      ).toMatchObject({ text: 'one more set?', userId: guest.id, seq: written.seq });
      expect(
        (await messages.next((data) => data.squadMessageAdded.id === written.id)).squadMessageAdded,
      ).toMatchObject({ text: 'one more set?', user: { id: guest.id }, seq: written.seq });

      await Promise.all([
        host.socket.close(),
        guest.socket.close(),
        guestDevice.close(),
        guestGraph.dispose(),
        hostGraph.dispose(),
      ]);
    });
  },
);
