import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { connectionTo } from '#server/database/connection.ts';
import { withoutPooler } from '#server/database/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { testRun } from '../support/test-run.ts';
import { comingMonday, newGym, preparedGym, settled } from './support.ts';

/** Makes all reads of a table wait until `release`, and with them the deployments that call its service. */
async function lockedTable(platform: TestPlatform, service: 'gym' | 'identity', table: string) {
  const [{ name }] = await platform.sql(service, 'select current_database() as name');
  const client = new pg.Client(connectionTo(withoutPooler(testRun.current().server), name));
  await client.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in access exclusive mode`);
  return {
    /** Waits until so many statements wait for the table. */
    waiting: (count: number) =>
      eventually(async () => {
        const [row] = await platform.sql(
          service,
          `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row.count >= count;
      }),
    async release(): Promise<void> {
      await client.query('rollback');
      await client.end();
    },
  };
}

describe.each(['database', 'memory'])('a session that is being deployed, in %s', (storage) => {
  let platform: TestPlatform;
  let superAdmin: string;
  beforeAll(async () => {
    platform = await startPlatform({
      services: ['identity', 'gym', 'wizard'],
      env: {
        WIZARD_STORAGE: storage,
        WIZARD_DEPLOYMENT_RETRY_MILLIS: '100',
        SERVICE_CALL_TIMEOUT_MILLIS: '20000',
      },
    });
    superAdmin = await platform.demo('super@demo.test');
  });
  afterAll(() => platform.stop());

  const call = (method: string, path: string, body?: object, token = superAdmin) =>
    platform.rest('wizard', method, path, { token, ...(body && { body }) });
  const reserve = (sessionId: string, resource: string, value: string, token = superAdmin) =>
    call(
      'GET',
      `/check-availability?resource=${resource}&value=${encodeURIComponent(value)}&reserve=true&sessionId=${sessionId}`,
      undefined,
      token,
    );
  const reserveInGraph = async (sessionId: string, value: string) => {
    const { errors } = await platform.graph(
      'wizard',
      `query ($value: String!, $id: ID!) { checkAvailability(resource: "gym-slug", value: $value, reserve: true, sessionId: $id) { available } }`,
      { value, id: sessionId },
      { token: superAdmin },
    );
    return (errors?.[0]?.extensions as { code?: string } | undefined)?.code;
  };
  const upload = async (id: string) => {
    const body = new FormData();
    body.append('step', 'branding');
    body.append('field', 'logo');
    body.append('file', new Blob([new Uint8Array(await pictures.normal('png'))]), 'logo.png');
    return platform.rest('wizard', 'POST', `/${id}/uploads`, { token: superAdmin, body });
  };

  it('accepts no change: no data, file or reservation, and no cancellation; nor does it once it is deployed', async () => {
    const gym = newGym();
    const { id } = await preparedGym(platform, gym);
    const other = `other-${gym.basics.slug}`;
    const changes = async () => ({
      update: (await call('PUT', `/${id}`, { step: 'basics', data: { name: 'Other' } })).body.code,
      upload: (await upload(id)).body.code,
      reserve: (await reserve(id, 'gym-slug', other)).body.code,
      reserveInGraph: await reserveInGraph(id, other),
      cancel: (await call('POST', `/${id}/cancel`)).body.code,
    });
    const refused = {
      update: 'CONFLICT',
      upload: 'CONFLICT',
      reserve: 'CONFLICT',
      reserveInGraph: 'CONFLICT',
      cancel: 'CONFLICT',
    };
    const lock = await lockedTable(platform, 'gym', 'gym');
    try {
      expect((await call('POST', `/${id}/deploy`)).status).toBe(202);
      expect(await changes()).toEqual(refused);
      expect((await call('GET', `/${id}`)).body.status).toBe('DEPLOYING');
    } finally {
      await lock.release();
    }
    expect((await settled(platform, id)).status).toBe('DEPLOYED');
    expect(await changes()).toEqual(refused);
  });

  it('keeps its reservations if its deployment begins while a reservation is being checked', async () => {
    const gym = newGym();
    const { id } = await preparedGym(platform, gym);
    const other = `other-${gym.basics.slug}`;
    const lock = await lockedTable(platform, 'gym', 'gym');
    let checks: Promise<[Untyped, string | undefined]>;
    try {
      checks = Promise.all([reserve(id, 'gym-slug', other), reserveInGraph(id, other)]);
      await lock.waiting(2);
      expect((await call('POST', `/${id}/deploy`)).status).toBe(202);
    } finally {
      await lock.release();
    }
    const [rest, graph] = await checks;
    expect([rest.status, rest.body.code, graph]).toEqual([409, 'CONFLICT', 'CONFLICT']);
    expect((await settled(platform, id)).status).toBe('DEPLOYED');
  });

  it('keeps its slot if its member reserves another slot in another session', async () => {
    const { token } = await platform.register();
    const location = (
      await platform.rest('gym', 'POST', '/locations', {
        token: superAdmin,
        body: { gymId: DEMO_GYMS.ironTemple.id, name: `Room ${randomUUID()}`, timezone: 'UTC', capacity: 1 },
      })
    ).body;
    const slotAt = (time: string) => `${location.id}@${comingMonday()}T${time}:00Z`;
    const begin = async () =>
      (await call('POST', '/', { kind: 'MEMBER_ONBOARDING' }, token)).body.id as string;
    const [first, second] = [await begin(), await begin()];
    for (const [step, data] of Object.entries({
      profile: { displayName: 'New Name' },
      body: { heightCm: 170, weightKg: 60 },
      goals: { goals: ['fun'], nutritionTarget: false },
      slot: { locationId: location.id, startsAt: `${comingMonday()}T12:00:00Z` },
      review: { confirmed: true },
    }))
      await call('PUT', `/${first}`, { step, data }, token);
    expect((await reserve(first, 'slot', slotAt('12:00'), token)).body.available).toBe(true);
    const lock = await lockedTable(platform, 'identity', 'user_account');
    try {
      expect((await call('POST', `/${first}/deploy`, undefined, token)).status).toBe(202);
      expect((await reserve(second, 'slot', slotAt('13:00'), token)).body).toMatchObject({
        available: false,
        reason: 'BOOKED',
      });
      const anybody = await platform.rest(
        'wizard',
        'GET',
        `/check-availability?resource=slot&value=${encodeURIComponent(slotAt('12:00'))}`,
      );
      expect(anybody.body).toMatchObject({ available: false, reason: 'FULL' });
    } finally {
      await lock.release();
    }
    expect((await settled(platform, first)).status).toBe('DEPLOYED');
  });
});
