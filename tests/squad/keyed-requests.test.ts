import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunningSubgraph } from '#server/start-subgraph.ts';
import { startPlatform, type TestAccount, type TestPlatform } from '../support/platform.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

/** Because this setting exists, squad stores its journals in PostgreSQL. Tests pass a database server of their own. */
const DATABASE_URL = 'postgres://unused/postgres';

describe.each([
  ['files', {}, false],
  ['PostgreSQL', { DATABASE_URL }, false],
  ...(hasRedis ? [['PostgreSQL at two instances with Redis', { DATABASE_URL }, true] as const] : []),
] as const)('with storage in %s, requests with an Idempotency-Key', (_name, env, isShared) => {
  let redis: OwnRedis | undefined;
  let platform: TestPlatform;
  let other: Pick<RunningSubgraph, 'url'>;
  let maya: TestAccount;
  let leo: TestAccount;
  beforeAll(async () => {
    if (isShared) redis = await startRedis();
    platform = await startPlatform({
      services: ['identity', 'squad'],
      env: { ...env, ...(redis && { REDIS_URL: redis.url }) },
    });
    other = isShared ? await platform.replica('squad') : platform.running('squad');
    [maya, leo] = await Promise.all([platform.register(), platform.register()]);
  });
  afterAll(async () => {
    await platform?.stop();
    await redis?.stop();
  });

  const post = async (url: string, by: TestAccount, path: string, key: string, body: object = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${by.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      isReplayed: answer.headers.get('idempotency-replayed') === 'true',
      body: text ? JSON.parse(text) : undefined,
    };
  };
  const list = async (by: TestAccount, path: string) =>
    (await platform.rest('squad', 'GET', path, { token: by.token })).body as { id: string; text?: string }[];

  test('are carried out once, also at another instance and after a restart', async () => {
    const key = randomUUID();
    const here = platform.url('squad');
    const squad = await post(here, maya, '/squads', key);
    expect(squad).toMatchObject({ status: 201, isReplayed: false });
    expect(await post(other.url, maya, '/squads', key)).toMatchObject({ isReplayed: true, body: squad.body });
    const path = `/squads/${squad.body.id}/messages`;
    const messageKey = randomUUID();
    const sent = await Promise.all(
      [here, other.url, here, other.url].map((url) => post(url, maya, path, messageKey, { text: 'go' })),
    );
    expect(new Set(sent.map(({ body }) => body.id)).size).toBe(1);
    expect(sent.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    await platform.restart('squad');
    expect(await post(platform.url('squad'), maya, path, messageKey, { text: 'go' })).toMatchObject({
      status: 201,
      isReplayed: true,
      body: { id: sent[0]?.body.id },
    });
    expect(await post(platform.url('squad'), maya, path, messageKey, { text: 'no' })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect((await list(maya, '/squads')).map(({ id }) => id)).toEqual([squad.body.id]);
    expect((await list(maya, path)).map(({ text }) => text)).toEqual(['go']);
    expect((await post(platform.url('squad'), leo, path, messageKey, { text: 'go' })).status).toBe(404);
  });

  test('take effect before they are answered: the receiver finds the invite, the host the new participant', async () => {
    const { body: squad } = await post(platform.url('squad'), maya, '/squads', randomUUID());
    const invite = await post(other.url, maya, '/invites', randomUUID(), {
      toUserId: leo.id,
      squadId: squad.id,
    });
    expect(invite.status).toBe(201);
    expect((await list(leo, '/invites')).map(({ id }) => id)).toContain(invite.body.id);
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((key) =>
        post(key < 'c' ? platform.url('squad') : other.url, leo, `/squads/${squad.id}/join`, key + squad.id),
      ),
    );
    // Two of them may have waited for each other; one of the two is then rolled back, and can be repeated.
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    const seen = await platform.rest('squad', 'GET', `/squads/${squad.id}`, { token: maya.token });
    expect(seen.body.participants.map(({ userId }: { userId: string }) => userId).toSorted()).toEqual(
      [maya.id, leo.id].toSorted(),
    );
  });

  test('to the graph are carried out once, too', async () => {
    const key = randomUUID();
    const create = () =>
      platform.graph(
        'squad',
        'mutation { createSquad(input: {}) { id } }',
        {},
        {
          token: leo.token,
          headers: { 'Idempotency-Key': key },
        },
      );
    const first = await create();
    expect(first.errors).toBeUndefined();
    expect((await create()).data).toEqual(first.data);
  });
});
