import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RecordsPageShape } from '#server/accounts/account-data.ts';
import { demoPerson } from '#server/demo-ids.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import type { LocationShape } from '../../subgraphs/gym/locations/locations.shapes.ts';
import type { UserShape } from '../../subgraphs/identity/users/users.shapes.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';

const SERVICES = SERVICE_NAMES.filter((name) => name !== 'identity');

let platform: TestPlatform;
let identity: string;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', ...SERVICES] });
  identity = await platform.serviceToken('identity');
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const erase = (service: (typeof SERVICES)[number], userId: string) =>
  platform.rest(service, 'DELETE', `/accounts/${userId}`, { token: identity });

/** All of a user's records in a service, by kind. */
async function recordsIn(service: (typeof SERVICES)[number], userId: string) {
  const found: Record<string, Record<string, unknown>[]> = {};
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: RestAnswer<RecordsPageShape> = await platform.rest(
      service,
      'GET',
      `/accounts/${userId}/records${cursor && `?cursor=${cursor}`}`,
      { token: identity },
    );
    for (const { kind, record } of page.body.records) (found[kind] ??= []).push(record);
    cursor = page.body.next;
  }
  return found;
}

describe.each(SERVICES)('the part of %s in exports and deletions', (service) => {
  it('can be called only by identity', async () => {
    const callers = [
      undefined,
      (await platform.register()).token,
      staff,
      await platform.demo('super@demo.test'),
      await platform.serviceToken(service),
      identity,
    ];
    const statuses = await Promise.all(
      callers.map(async (token) => [
        (
          await platform.rest(service, 'GET', `/accounts/${randomUUID()}/records`, {
            ...(token && { token }),
          })
        ).status,
        (await platform.rest(service, 'DELETE', `/accounts/${randomUUID()}`, { ...(token && { token }) }))
          .status,
      ]),
    );
    expect(statuses).toEqual([
      [401, 401],
      [403, 403],
      [403, 403],
      [403, 403],
      [403, 403],
      [200, 200],
    ]);
  });

  it('refuses malformed ids and cursors, and answers for an unknown user, also after a repeated deletion', async () => {
    const somebody = randomUUID();
    const ask = (at: string) => platform.rest(service, 'GET', at, { token: identity });
    expect((await ask('/accounts/1/records')).status).toBe(404);
    expect((await ask(`/accounts/${somebody}/records?cursor=abc`)).status).toBe(400);
    expect((await ask(`/accounts/${somebody}/records`)).body).toMatchObject({ records: [], next: null });
    const result = await erase(service, somebody);
    expect(result.body).toMatchObject({ outcome: 'DELETED' });
    expect((await erase(service, somebody)).body).toEqual(result.body);
  });
});

describe('a deleted user', () => {
  it('is not stored again by requests that arrive after the erasure', async () => {
    const user = await platform.register();
    const { body: me } = await platform.rest<UserShape>('identity', 'GET', '/users/me', user);
    const [location] = (await platform.rest<LocationShape[]>('gym', 'GET', '/locations', user)).body;
    await erase('gym', user.id);
    await erase('nutrition', user.id);
    const writes = await Promise.all([
      platform.rest('gym', 'POST', '/posts', { ...user, body: { text: 'still here' } }),
      platform.rest('nutrition', 'POST', '/log', {
        ...user,
        headers: { 'Idempotency-Key': randomUUID() },
        body: { foodName: 'Soup', calories: 90 },
      }),
      platform.rest('gym', 'POST', '/locations/check-in', {
        token: staff,
        body: { qrCode: me.qrCode, locationId: location?.id },
      }),
    ]);
    expect(writes.map(({ status, body }) => [status, body.code])).toEqual(
      writes.map(() => [409, 'CONFLICT']),
    );
    const { errors } = await platform.graph(
      'gym',
      'mutation { createPost(input: { text: "still here" }) { id } }',
      {},
      user,
    );
    expect(errors?.[0]?.extensions.code).toBe('CONFLICT');
    expect(await recordsIn('gym', user.id)).toEqual({});
    expect(await recordsIn('nutrition', user.id)).toEqual({});
  });

  it('is not created again by the demo data at a start', async () => {
    const { id } = demoPerson('maya@iron.test');
    for (const service of ['gym', 'nutrition'] as const) {
      expect(Object.keys(await recordsIn(service, id)).length).toBeGreaterThan(0);
      await erase(service, id);
      await platform.restart(service);
      expect(await recordsIn(service, id)).toEqual({});
    }
  });

  it('is erased completely during their own writes', async () => {
    const user = await platform.register();
    const csv = Array.from({ length: 6_000 }, (_, line) => `2026-01-05,Soup ${line},90,1,2,3`).join('\n');
    const importing = platform.rest('nutrition', 'POST', '/log/import', {
      ...user,
      headers: { 'Content-Type': 'text/csv' },
      body: `localDate,foodName,calories,protein,carbs,fats\n${csv}`,
    });
    await Promise.race([importing, importHasBegun(user.id)]);
    expect((await erase('nutrition', user.id)).body).toEqual({ outcome: 'DELETED', reason: null });
    await importing;
    for (const table of ['food_log', 'food_log_day', 'food_log_import'])
      expect(await platform.sql('nutrition', `select 1 from ${table} where user_id = $1`, [user.id])).toEqual(
        [],
      );
  });
});

const importHasBegun = async (userId: string): Promise<void> => {
  while (!(await recordsIn('nutrition', userId)).foodLogs) await new Promise(setImmediate);
};

describe('an export', () => {
  it('is read page by page, without a gap and without a repetition', async () => {
    const { id } = await platform.register();
    await platform.sql(
      'nutrition',
      `insert into food_log (id, user_id, food_name, calories, protein, carbs, fats, source, logged_at, local_date, created_at)
       select gen_random_uuid(), $1, 'Soup ' || n, n, 0, 0, 0, 'MANUAL', date_trunc('hour', now()), '2026-01-05'::date + n % 3, now() from generate_series(1, 2500) n`,
      [id],
    );
    const { foodLogs = [], ...rest } = await recordsIn('nutrition', id);
    expect(rest).toEqual({});
    expect(new Set(foodLogs.map(({ calories }) => calories)).size).toBe(2500);
    expect(foodLogs).toHaveLength(2500);
  });
});
