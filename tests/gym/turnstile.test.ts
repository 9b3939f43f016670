import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

const gymId = DEMO_GYMS.ironTemple.id;

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const gym = (method: string, path: string, token: string, body?: object) =>
  platform.rest('gym', method, path, { token, ...(body && { body }) });

async function turnstile(
  locationId: string | null,
  scopes: readonly string[] = ['check-in'],
): Promise<string> {
  const created = await platform.rest('identity', 'POST', '/api-clients', {
    token: staff,
    body: { name: 'Turnstile', scopes, locationId },
  });
  const { id, secret } = created.body as { id: string; secret: string };
  const { body } = await platform.rest('identity', 'POST', '/auth/token', {
    body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
  });
  return body.access_token as string;
}

async function hall(capacity: number): Promise<string> {
  const { body } = await gym('POST', '/locations', staff, {
    gymId,
    name: `Hall ${randomUUID()}`,
    timezone: 'UTC',
    capacity,
  });
  return body.id as string;
}

async function member(ofGym: string = gymId): Promise<{ id: string; qrCode: string }> {
  const email = `${randomUUID()}@example.test`;
  const { body } = await platform.rest('identity', 'POST', '/auth/register', {
    body: { email, password: `pass-${randomUUID()}`, displayName: 'Ana', gymId: ofGym },
  });
  return body as { id: string; qrCode: string };
}

describe('a turnstile', () => {
  it('lets members in and out at its location, and shows their names', async () => {
    const locationId = await hall(5);
    const token = await turnstile(locationId);
    const { id, qrCode } = await member();
    const first = await gym('POST', '/locations/check-in', token, { qrCode, locationId, source: 'gate' });
    expect(first).toMatchObject({
      status: 201,
      body: { userId: id, locationId, duplicate: false, member: { id, displayName: 'Ana', avatar: null } },
    });
    const second = await gym('POST', '/locations/check-in', token, { qrCode, locationId });
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id, duplicate: true } });
    expect((await gym('GET', `/locations/${locationId}/occupancy`, token)).body).toMatchObject({ people: 1 });
    const out = await gym('POST', '/locations/check-out', token, { qrCode });
    expect(out).toMatchObject({ status: 200, body: { id: first.body.id, checkedOutAt: expect.any(String) } });
    expect((await gym('POST', '/locations/check-out', token, { qrCode })).status).toBe(404);
    const stored = await platform.sql(
      'gym',
      `select checked_in_by from check_in where id = '${first.body.id}'`,
    );
    expect(stored).toHaveLength(1);
  });

  it('lets in no more members than the capacity, which only staff may override', async () => {
    const locationId = await hall(1);
    const token = await turnstile(locationId);
    const [one, two] = [await member(), await member()];
    const scan = (qrCode: string, more: object = {}) =>
      gym('POST', '/locations/check-in', token, { qrCode, locationId, ...more });
    expect((await scan(one.qrCode)).status).toBe(201);
    expect((await scan(two.qrCode)).body.code).toBe('LOCATION_FULL');
    expect(await scan(two.qrCode, { override: true })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    const denials = await gym(
      'GET',
      `/locations/${locationId}/denials`,
      await turnstile(null, ['visits:read']),
    );
    expect((denials.body as { reason: string }[]).map(({ reason }) => reason)).toEqual([
      'FORBIDDEN',
      'LOCATION_FULL',
    ]);
  });

  it('refuses members of other gyms and unknown codes, and other locations do not exist for it', async () => {
    const [locationId, elsewhere] = [await hall(5), await hall(5)];
    const token = await turnstile(locationId);
    const stranger = await member(DEMO_GYMS.aquaClub.id);
    const { qrCode } = await member();
    const codeOf = async (body: object) =>
      (await gym('POST', '/locations/check-in', token, body)).body.code as string;
    expect(await codeOf({ qrCode: stranger.qrCode, locationId })).toBe('WRONG_GYM');
    expect(await codeOf({ qrCode: 'no-such-code', locationId })).toBe('QR_UNKNOWN');
    expect(await codeOf({ qrCode, locationId: elsewhere })).toBe('NOT_FOUND');
    expect((await gym('POST', '/locations/check-in', staff, { qrCode, locationId: elsewhere })).status).toBe(
      201,
    );
    expect((await gym('POST', '/locations/check-out', token, { qrCode })).status).toBe(404);
    expect((await gym('POST', '/locations/check-out', token, {})).status).toBe(400);
    expect((await gym('POST', '/locations/check-out', await turnstile(null), { qrCode })).status).toBe(200);
  });

  it('checks members in by the graph, too, without seeing their accounts', async () => {
    const locationId = await hall(5);
    const { id, qrCode } = await member();
    const { data, errors } = await platform.graph(
      'gym',
      'mutation ($input: CheckInInput!) { checkIn(input: $input) { duplicate location { id } user { id } } }',
      { input: { qrCode, locationId } },
      { token: await turnstile(locationId) },
    );
    expect(errors).toBeUndefined();
    expect(data.checkIn).toEqual({ duplicate: false, location: { id: locationId }, user: { id } });
  });

  it('gets the first answer again if it repeats a scan with the same Idempotency-Key', async () => {
    const locationId = await hall(5);
    const token = await turnstile(locationId);
    const { qrCode } = await member();
    const headers = { 'idempotency-key': randomUUID() };
    const scan = () =>
      platform.rest('gym', 'POST', '/locations/check-in', { token, headers, body: { qrCode, locationId } });
    const [first, again] = [await scan(), await scan()];
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 201, body: first.body });
  });
});
