import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OnlineUsersUpdate } from '../../subgraphs/squad/presence/presence.shapes.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { graphClient, socketOf, subscribed, type Person } from './support/people.ts';

// The grace period is long enough to connect again within it on a busy machine.
const graceMillis = 2_000;
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'squad'],
    env: { SQUAD_PRESENCE_GRACE_MILLIS: String(graceMillis), SQUAD_PRESENCE_INTERVAL_MILLIS: '50' },
  });
});
afterAll(() => platform.stop());

const has = (userId: string) => (update: Pick<OnlineUsersUpdate, 'users'>) =>
  update.users.some((user) => user.userId === userId);
const lacks = (userId: string) => (update: Pick<OnlineUsersUpdate, 'users'>) => !has(userId)(update);
const presence = async (of: Person, to: Person) =>
  (
    await platform.graph(
      'squad',
      'query($r: [_Any!]!) { _entities(representations: $r) { ... on User { presence { online status activity since } } } }',
      { r: [{ __typename: 'User', id: of.id }] },
      { token: to.token },
    )
  ).data._entities[0].presence;
const listed = async (to: Person, gymId?: string) =>
  (await platform.rest('squad', 'GET', `/online-users${gymId ? `?gymId=${gymId}` : ''}`, { token: to.token }))
    .body as { userId: string }[];

describe('presence', () => {
  test('is the same by socket, REST and graph', async () => {
    const maya = await platform.register();
    const socket = await socketOf(platform, maya);
    const { users } = await socket.send('user_online', { status: 'WORKING_OUT', activity: 'legs' });
    const row = users.find(({ userId }) => userId === maya.id);
    expect(row).toEqual({
      userId: maya.id,
      gymId: DEMO_GYMS.ironTemple.id,
      status: 'WORKING_OUT',
      activity: 'legs',
      since: expect.any(String),
    });
    expect(await listed(maya)).toContainEqual(row);
    const { data } = await platform.graph(
      'squad',
      '{ onlineUsers { user { id presence { online } } status activity since } }',
      {},
      { token: maya.token },
    );
    expect(data.onlineUsers).toContainEqual({
      user: { id: maya.id, presence: { online: true } },
      status: 'WORKING_OUT',
      activity: 'legs',
      since: row?.since,
    });
    await socket.close();
  });

  test('stays while one of two tabs is open, and for the grace period afterwards; then one update reports its end', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const watching = await socketOf(platform, leo);
    await watching.send('user_online', {});
    const tabs = [await socketOf(platform, maya), await socketOf(platform, maya)] as const;
    await tabs[0].send('user_online', {});
    await watching.next('online_users_updated', has(maya.id));
    await tabs[0].close();
    await new Promise((resolve) => setTimeout(resolve, graceMillis + 200));
    expect((await presence(maya, leo)).online).toBe(true);
    const before = watching.frames.length;
    const closedAt = Date.now();
    await tabs[1].close();
    expect((await presence(maya, leo)).online).toBe(true);
    const gone = new Promise<number>((resolve) =>
      watching.on('online_users_updated', (update) => lacks(maya.id)(update) && resolve(Date.now())),
    );
    expect((await gone) - closedAt).toBeGreaterThanOrEqual(graceMillis - 20);
    expect(await presence(maya, leo)).toEqual({ online: false, status: null, activity: null, since: null });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const updates = watching.frames
      .slice(before)
      .filter(({ event, data }) => event === 'online_users_updated' && lacks(maya.id)(data as never));
    expect(updates).toHaveLength(1);
    await watching.close();
  });

  test('makes no update if a user connects again within the grace period', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const watching = await socketOf(platform, leo);
    await watching.send('user_online', {});
    const first = await socketOf(platform, maya);
    const { users } = await first.send('user_online', { activity: 'legs' });
    const since = users.find(({ userId }) => userId === maya.id)?.since;
    await watching.next('online_users_updated', has(maya.id));
    const before = watching.frames.length;
    await first.close();
    const again = await socketOf(platform, maya);
    await again.send('user_online', { activity: 'legs' });
    await new Promise((resolve) => setTimeout(resolve, graceMillis + 200));
    expect(
      watching.frames.slice(before).filter(({ data }) => 'users' in data && lacks(maya.id)(data)),
    ).toEqual([]);
    expect((await presence(maya, leo)).since).toBe(since);
    await Promise.all([again.close(), watching.close()]);
  });

  test('stays while a subscription of the graph is open, whose first event has the whole list', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const graph = graphClient(platform.url('squad'), leo.token);
    await platform.graph(
      'squad',
      'mutation { goOnline(input: {status: AVAILABLE}) { online } }',
      {},
      { token: leo.token },
    );
    const updates = await subscribed<{
      onlineUsersUpdated: { users: { user: { id: string } }[]; full: boolean; seq: number };
    }>(
      graph,
      'subscription { onlineUsersUpdated { users { user { id } status activity since } removed full seq } }',
    );
    await updates.next(({ onlineUsersUpdated }) =>
      onlineUsersUpdated.users.some(({ user }) => user.id === leo.id),
    );
    const socket = await socketOf(platform, maya);
    await socket.send('user_online', {});
    await updates.next(({ onlineUsersUpdated }) =>
      onlineUsersUpdated.users.some(({ user }) => user.id === maya.id),
    );
    await new Promise((resolve) => setTimeout(resolve, graceMillis + 300));
    expect((await presence(leo, maya)).online).toBe(true);
    expect(updates.events[0]?.onlineUsersUpdated.full).toBe(true);
    const numbers = updates.events.map(({ onlineUsersUpdated }) => onlineUsersUpdated.seq);
    expect(numbers).toEqual(numbers.map((_seq, index) => (numbers[0] as number) + index));
    await socket.close();
    await graph.dispose();
  });

  test('sends only changes to a client that asks for deltas', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const watching = await socketOf(platform, leo);
    const snapshot = await watching.send('user_online', { delta: true });
    expect(snapshot.full).toBe(true);
    const socket = await socketOf(platform, maya);
    await socket.send('user_online', {});
    const update = await watching.next('online_users_updated', has(maya.id));
    // `removed` may contain members of earlier tests, who go offline now.
    expect(update.full).toBe(false);
    expect(update.removed).not.toContain(maya.id);
    await socket.send('user_online', { status: 'INVISIBLE' });
    expect(
      await watching.next('online_users_updated', ({ removed }) => removed.includes(maya.id)),
    ).toMatchObject({ users: [], removed: expect.arrayContaining([maya.id]), full: false });
    expect(await presence(maya, leo)).toMatchObject({ online: false });
    expect(await presence(maya, maya)).toMatchObject({ online: true, status: 'INVISIBLE' });
    await Promise.all([socket.close(), watching.close()]);
  });

  test('is visible in the own gym only; a SUPER_ADMIN names a gym; users without a gym and anonymous callers are refused', async () => {
    const [maya, zoe] = await Promise.all([platform.register(), platform.register(DEMO_GYMS.aquaClub.id)]);
    const socket = await socketOf(platform, maya);
    await socket.send('user_online', {});
    expect((await listed(zoe)).some(({ userId }) => userId === maya.id)).toBe(false);
    expect(await presence(maya, zoe)).toMatchObject({ online: false });
    expect(
      (
        await platform.rest('squad', 'GET', `/online-users?gymId=${DEMO_GYMS.ironTemple.id}`, {
          token: zoe.token,
        })
      ).status,
    ).toBe(403);
    const superToken = await platform.demo('super@demo.test');
    expect(
      (await listed({ id: '', token: superToken }, DEMO_GYMS.ironTemple.id)).some(
        ({ userId }) => userId === maya.id,
      ),
    ).toBe(true);
    expect((await platform.rest('squad', 'GET', '/online-users', { token: superToken })).body.code).toBe(
      'GYM_REQUIRED',
    );
    expect((await platform.rest('squad', 'GET', '/online-users')).status).toBe(401);
    const withoutGym = await platform.register(null);
    expect(
      (await platform.rest('squad', 'GET', '/online-users', { token: withoutGym.token })).body.code,
    ).toBe('GYM_REQUIRED');
    await socket.close();
  });
});
