import { expect, test } from '@jest/globals';
import type { FeedItemShape } from '../../subgraphs/squad/feed/feed.shapes.ts';
import { startPlatform, type RestAnswer } from '../support/platform.ts';

test('the feed has posts, announcements and squads of the gym, the newest first, in pages', async () => {
  const platform = await startPlatform({ services: ['identity', 'gym', 'squad'] });
  const maya = await platform.register();
  const admin = await platform.demo('admin@iron.test');
  const made: string[] = [];
  const post = async (service: 'gym' | 'squad', path: string, body: object, token = maya.token) => {
    const answer = await platform.rest(service, 'POST', path, { token, body });
    expect(answer.status).toBeLessThan(300);
    return answer.body.id as string;
  };
  for (let round = 0; round < 3; round += 1) {
    made.unshift(await post('gym', '/posts', { text: `post ${round}` }));
    const squadId = await post('squad', '/squads', {});
    await post('squad', `/squads/${squadId}/start`, {});
    await post('squad', `/squads/${squadId}/end`, {});
    made.unshift(squadId);
    made.unshift(
      await post('gym', '/announcements', { title: `News ${round}`, text: 'Open longer tonight' }, admin),
    );
  }
  const seen: FeedItemShape[] = [];
  for (let path: string | undefined = '/feed?limit=4'; path && seen.length < made.length;) {
    const answer: RestAnswer<FeedItemShape[]> = await platform.rest('squad', 'GET', path, {
      token: maya.token,
    });
    seen.push(...answer.body);
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  expect(seen.slice(0, made.length).map(({ id }) => id)).toEqual(made);
  expect(seen.slice(0, 3).map(({ kind }) => kind)).toEqual(['ANNOUNCEMENT', 'SQUAD_FINISHED', 'POST']);
  expect(seen[2]?.userId).toBe(maya.id);
  await platform.stop();
});

test('announcements have no author in the feed, and are shown also to a user who blocked the admin', async () => {
  const platform = await startPlatform({ services: ['identity', 'gym', 'squad'] });
  const maya = await platform.register();
  const admin = await platform.demo('admin@iron.test');
  const { body: adminUser } = await platform.rest('identity', 'GET', '/users/me', { token: admin });
  const made: string[] = [];
  for (let round = 0; round < 55; round += 1) {
    const { body } = await platform.rest('gym', 'POST', '/announcements', {
      token: admin,
      body: { title: `News ${round}`, text: 'Open longer tonight' },
    });
    made.unshift(body.id);
  }
  await platform.rest('gym', 'POST', '/posts', { token: admin, body: { text: 'a post of the admin' } });
  await platform.rest('squad', 'POST', `/blocks/${adminUser.id}`, { token: maya.token });
  const seen: FeedItemShape[] = [];
  for (let path: string | undefined = '/feed?limit=20'; path;) {
    const answer: RestAnswer<FeedItemShape[]> = await platform.rest('squad', 'GET', path, {
      token: maya.token,
    });
    expect(answer.headers.get('incomplete')).toBeNull();
    seen.push(...answer.body);
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  const announcements = seen.filter(({ id }) => made.includes(id));
  expect(announcements.map(({ id }) => id)).toEqual(made);
  expect(new Set(announcements.map(({ userId }) => userId))).toEqual(new Set([null]));
  expect(seen.some(({ userId }) => userId === adminUser.id)).toBe(false);
  await platform.stop();
});

test('while the gym service is down, the feed says that the items of gym are missing', async () => {
  const platform = await startPlatform({ services: ['identity', 'gym', 'squad'] });
  const maya = await platform.register();
  await platform.rest('squad', 'POST', '/groups', { token: maya.token, body: { name: 'Early birds' } });
  const query = '{ feed { complete nodes { kind } } }';
  const whole = await platform.graph('squad', query, {}, { token: maya.token });
  expect(whole.data.feed.complete).toBe(true);
  await platform.running('gym').stop();
  const answer = await platform.rest('squad', 'GET', '/feed', { token: maya.token });
  expect([answer.status, answer.headers.get('incomplete')]).toEqual([200, 'gym']);
  expect(answer.body).toMatchObject([{ kind: 'GROUP_CREATED' }]);
  const part = await platform.graph('squad', query, {}, { token: maya.token });
  expect(part.data.feed).toEqual({ complete: false, nodes: [{ kind: 'GROUP_CREATED' }] });
  await platform.stop();
});

test('an announcement that was written before it begins is in the feed at its beginning, once in all pages', async () => {
  const platform = await startPlatform({ services: ['identity', 'gym', 'squad'] });
  const maya = await platform.register();
  const admin = await platform.demo('admin@iron.test');
  const make = async (path: string, body: object) => {
    const answer = await platform.rest('gym', 'POST', path, { token: admin, body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const { id: past } = await make('/announcements', {
    title: 'Since last week',
    text: 'The pool is closed',
    startsAt: new Date(Date.now() - 7 * 24 * 60 * 60_000).toISOString(),
  });
  const posts: string[] = [];
  for (let round = 0; round < 3; round += 1) posts.unshift((await make('/posts', { text: `${round}` })).id);
  const scheduled = await make('/announcements', { title: 'Now', text: 'The pool is open again' });
  const dayBefore = `update announcement set created_at = created_at - interval '1 day' where id = $1`;
  await platform.sql('gym', dayBefore, [scheduled.id]);
  const seen = async (): Promise<FeedItemShape[]> => {
    const all: FeedItemShape[] = [];
    for (let path: string | undefined = '/feed?limit=2'; path;) {
      const answer: RestAnswer<FeedItemShape[]> = await platform.rest('squad', 'GET', path, {
        token: maya.token,
      });
      all.push(...answer.body);
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    return all.filter(({ id }) => [past, scheduled.id, ...posts].includes(id));
  };
  const all = await seen();
  expect(all.map(({ id }) => id)).toEqual([scheduled.id, ...posts, past]);
  expect(all[0]).toMatchObject({ at: scheduled.startsAt });
  await platform.stop();
});

test('a SUPER_ADMIN reads the clubs of the entries in the feed of any gym', async () => {
  const platform = await startPlatform({
    services: ['identity', 'squad'],
    env: { GYM_URL: 'http://127.0.0.1:9' },
  });
  const [maya, leo] = [await platform.register(), await platform.register()];
  const create = (name: string) =>
    platform.rest('squad', 'POST', '/groups', { token: maya.token, body: { name } });
  const { body: club } = await create('Early birds');
  const query = `query ($gymId: ID) {
    groups(gymId: $gymId) { id name } feed(gymId: $gymId) { nodes { kind group { id name } } }
  }`;
  const seenBy = async (token: string, gymId: string | null) =>
    (await platform.graph('squad', query, { gymId }, { token })).data;
  const found = { id: club.id, name: 'Early birds' };
  const expected = { groups: [found], feed: { nodes: [{ kind: 'GROUP_CREATED', group: found }] } };
  expect(await seenBy(await platform.demo('super@demo.test'), club.gymId)).toEqual(expected);
  expect(await seenBy(leo.token, null)).toEqual(expected);
  expect(await seenBy(leo.token, club.gymId)).toEqual(expected);
  await platform.stop();
});
