import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { socketOf, subscribed, graphClient, type Person } from './support/people.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym', 'squad'],
    env: { SQUAD_PRESENCE_GRACE_MILLIS: '500', SQUAD_PRESENCE_INTERVAL_MILLIS: '20' },
  });
});
afterAll(() => platform.stop());

const isListed = async (userId: string, to: Person): Promise<boolean> =>
  (await platform.rest('squad', 'GET', '/online-users', { token: to.token })).body.some(
    (user: { userId: string }) => user.userId === userId,
  );

test('a member who changes the gym is offline in the old one, also while they have a socket in the new one', async () => {
  const [member, colleague] = await Promise.all([platform.register(), platform.register()]);
  const watching = await socketOf(platform, colleague);
  await watching.send('user_online', { delta: true });
  const before = await socketOf(platform, member);
  await before.send('user_online', {});
  await watching.next('online_users_updated', ({ users }) =>
    users.some(({ userId }) => userId === member.id),
  );
  await platform.rest('identity', 'PUT', `/users/${member.id}/gym`, {
    token: await platform.demo('super@demo.test'),
    body: { gymId: DEMO_GYMS.aquaClub.id },
  });
  // Once the member is connected in the new gym, they are offline in the old one, also without `user_online`.
  const after = await socketOf(platform, {
    id: member.id,
    token: await platform.login(member.email, member.password),
  });
  await watching.next('online_users_updated', ({ removed }) => removed.includes(member.id));
  expect((await before.closed).code).toBe(4403);
  expect(await isListed(member.id, colleague)).toBe(false);
  await after.send('user_online', {});
  const swimmer = await platform.register(DEMO_GYMS.aquaClub.id);
  expect(await isListed(member.id, swimmer)).toBe(true);
  expect(await isListed(member.id, colleague)).toBe(false);
  await Promise.all([after.close(), watching.close()]);
});

test('if the gym switches the module off, sockets get no events and subscriptions end; later sockets get events again', async () => {
  const [member, sender, admin] = [
    await platform.register(),
    await platform.register(),
    await platform.demo('admin@iron.test'),
  ];
  const socket = await socketOf(platform, member);
  await socket.send('user_online', {});
  const graph = graphClient(platform.url('squad'), member.token);
  const updates = await subscribed(graph, 'subscription { onlineUsersUpdated { seq } }');
  const invites = await subscribed(graph, 'subscription { squadInviteReceived { id } }');
  const { body: opened } = await platform.rest('squad', 'POST', '/invites', {
    token: sender.token,
    body: { toUserId: member.id },
  });
  await socket.next('squad_invite_received', ({ invite }) => invite.id === opened.id);
  await socket.send('join_squad', { squadId: opened.squadId });

  await switchTo(false);
  await Promise.all([updates.done, invites.done]);
  await expect(socket.send('user_online', {})).rejects.toMatchObject({ code: 'FEATURE_DISABLED' });
  // A socket whose token is in the header behaves as one that has sent it in a frame: it gets the error, and events once the
  // module is on again.
  const byHeader = await SquadClient.connect({ url: platform.url('squad'), headerToken: member.token });
  await byHeader.next('error', ({ code }) => code === 'FEATURE_DISABLED');
  // The subscriptions ended at their periodic check. The socket has its own check with the same interval.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const before = socket.frames.length;
  // Admins keep access to a module that is off, so they can cause events.
  const announce = (activity: string) =>
    platform.rest('squad', 'PUT', '/presence', { token: admin, body: { activity } });
  expect((await announce('runs the gym')).status).toBe(200);
  const adminsInvite = await platform.rest('squad', 'POST', '/invites', {
    token: admin,
    body: { toUserId: member.id },
  });
  expect(adminsInvite.status).toBe(201);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(socket.frames.slice(before)).toEqual([]);

  await switchTo(true);
  // Invites are sent without a request, presence only after `user_online`.
  for (const one of [socket, byHeader])
    await one.next('squad_invite_received', ({ invite }) => invite.id === adminsInvite.body.id);
  await socket.send('user_online', {});
  await announce('runs it again');
  await socket.next('online_users_updated', ({ users }) =>
    users.some(({ activity }) => activity === 'runs it again'),
  );
  await Promise.all([socket.close(), byHeader.close(), graph.dispose()]);
});

async function switchTo(squad: boolean): Promise<void> {
  const { status } = await platform.rest('gym', 'PUT', '/gym/config', {
    token: await platform.demo('super@demo.test'),
    body: { gymId: DEMO_GYMS.ironTemple.id, features: { squad } },
  });
  expect(status).toBe(200);
}
