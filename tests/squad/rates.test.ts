import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import type { Person } from './support/people.ts';

describe('a minute allows a user of squad', () => {
  let platform: TestPlatform;
  let maya: Person;
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'squad'], env: { RATE_LIMITS: 'on' } });
    maya = { id: '', token: await platform.demo('maya@iron.test') };
  });
  afterAll(() => platform.stop());

  test.each([
    [
      10,
      'new clubs',
      '/groups',
      { name: '' },
      'mutation ($input: CreateGroupInput!) { field: createGroup(input: $input) { id } }',
      { name: '' },
    ],
    [
      30,
      'reports of messages',
      `/squads/${randomUUID()}/messages/${randomUUID()}/report`,
      {},
      'mutation ($input: ReportSquadMessageInput!) { field: reportSquadMessage(input: $input) { messageId } }',
      { squadId: randomUUID(), messageId: randomUUID() },
    ],
  ])('%i %s, through both doors together', async (perMinute, _what, path, body, mutation, input) => {
    const byRest = () => platform.rest('squad', 'POST', path, { token: maya.token, body });
    const byGraph = async () =>
      (await platform.graph('squad', mutation, { input }, { token: maya.token })).errors?.[0]?.extensions
        .code;
    for (let time = 0; time < perMinute / 2; time += 1) {
      expect([400, 404]).toContain((await byRest()).status);
      expect(['VALIDATION_FAILED', 'NOT_FOUND']).toContain(await byGraph());
    }
    expect(await byRest()).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(await byGraph()).toBe('RATE_LIMITED');
    expect((await platform.rest('squad', 'GET', '/groups', { token: maya.token })).status).toBe(200);
  });
});
