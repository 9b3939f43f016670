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

test('while the gym service is down, the feed says that its items are missing', async () => {
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
