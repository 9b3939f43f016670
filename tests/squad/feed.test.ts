import { expect, test } from '@jest/globals';
import { startPlatform } from '../support/platform.ts';

test('the feed mixes posts and announcements of the gym with what squads do, newest first, by one cursor', async () => {
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
  const seen: { id: string; kind: string; userId: string | null }[] = [];
  for (let path: string | undefined = '/feed?limit=4'; path && seen.length < made.length;) {
    const answer = await platform.rest('squad', 'GET', path, { token: maya.token });
    seen.push(...answer.body);
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  expect(seen.slice(0, made.length).map(({ id }) => id)).toEqual(made);
  expect(seen.slice(0, 3).map(({ kind }) => kind)).toEqual(['ANNOUNCEMENT', 'SQUAD_FINISHED', 'POST']);
  expect(seen[2]?.userId).toBe(maya.id);
  await platform.stop();
});
