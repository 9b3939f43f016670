import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { clientToken, FeedReader } from '../events/support.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { ago, challengeSupport, HOUR_MILLIS } from './challenge-support.ts';

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'], env: { LOG_LEVEL: 'error' } });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const { gym, content, challenge, log, join, reaches } = challengeSupport(
  () => platform,
  () => staff,
);

describe('events about trainings', () => {
  it('are read by services only: no user, machine client or webhook gets them', async () => {
    const { token, id: userId } = await platform.register(DEMO_GYMS.ironTemple.id);
    const machine = await clientToken(platform, ['events:read', 'content:read', 'members:read', 'webhooks']);
    const service = await platform.serviceToken('gym');
    const readers = [staff, superAdmin, machine].flatMap((reader) => [
      new FeedReader(platform, 'content', reader),
      new FeedReader(platform, 'gym', reader),
    ]);
    for (const reader of readers) await reader.latest();
    const internal = await new FeedReader(platform, 'content', service).latest();
    const collected = await new FeedReader(platform, 'gym', service).latest();
    const minutes = await challenge('MINUTES');
    await join(minutes, token);
    await log(token, 300, 60);
    await reaches(minutes, token, 60);
    expect((await internal.read()).filter(({ data }) => data.userId === userId)).toEqual([
      expect.objectContaining({ type: 'trainings.changed', gymId: null, data: { userId } }),
    ]);
    for (const reader of [...readers, collected])
      expect((await reader.read()).filter(({ type }) => type.startsWith('training'))).toEqual([]);
    for (const reader of [staff, superAdmin, machine])
      expect((await content('GET', '/events?types=trainings.changed', reader)).status).toBe(400);
    const named = await content('GET', '/events?limit=200&types=trainings.changed', service);
    expect(named.status).toBe(200);
    expect(named.body.events.map(({ data }: { data: object }) => data)).toContainEqual({ userId });
    expect(new Set(named.body.events.map(({ type }: { type: string }) => type))).toEqual(
      new Set(['trainings.changed']),
    );
    expect((await content('GET', '/events?types=trainings.unknown', service)).status).toBe(400);
    const webhook = { url: 'https://example.com/hook', types: ['trainings.changed'] };
    expect((await gym('POST', '/webhooks', staff, webhook)).status).toBe(400);
    expect(await platform.sql('gym', `select 1 from event where type = 'trainings.changed' limit 1`)).toEqual(
      [],
    );
    for (const reader of [token, staff, superAdmin, machine])
      expect(
        (await content('GET', `/training-counts?of=${userId}/${ago(HOUR_MILLIS)}/${ago(0)}`, reader)).status,
      ).toBe(403);
    for (const ranges of ['', 'x', `${userId}/a/b`, `${userId}/${ago(HOUR_MILLIS)}`])
      expect((await content('GET', `/training-counts?of=${ranges}`, service)).status).toBe(400);
  });

  it('are removed with the account', async () => {
    const { token, id, password } = await platform.register();
    await log(token, 300, 60);
    const named = () => platform.sql('content', 'select 1 from event where people @> array[$1::uuid]', [id]);
    await eventually(async () => (await named()).length > 0);
    const { status } = await platform.rest('identity', 'DELETE', '/users/me', { token, body: { password } });
    expect(status).toBeLessThan(300);
    await eventually(async () => (await named()).length === 0);
  });
});
