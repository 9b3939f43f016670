import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

const gymId = DEMO_GYMS.ironTemple.id;

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'], gateway: true });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const gym = (method: string, path: string, token: string, body?: object) =>
  platform.rest('gym', method, path, { token, ...(body && { body }) });

/** Adds a machine client, and returns its id and its access token. */
async function machineClient(
  locationId: string | null,
  scopes: readonly string[] = ['check-in'],
): Promise<{ clientId: string; token: string }> {
  const created = await platform.rest('identity', 'POST', '/api-clients', {
    token: staff,
    body: { name: 'Turnstile', scopes, locationId },
  });
  const { id, secret } = created.body as { id: string; secret: string };
  const { body } = await platform.rest('identity', 'POST', '/auth/token', {
    body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
  });
  return { clientId: id, token: body.access_token as string };
}

const turnstile = async (locationId: string | null, scopes?: readonly string[]): Promise<string> =>
  (await machineClient(locationId, scopes)).token;

const setMembership = (userId: string, body: object) =>
  platform.rest('identity', 'PUT', `/users/${userId}/membership`, { token: staff, body });

async function hall(capacity: number): Promise<string> {
  const { body } = await gym('POST', '/locations', staff, {
    gymId,
    name: `Hall ${randomUUID()}`,
    timezone: 'UTC',
    capacity,
  });
  return body.id as string;
}

async function member(ofGym: string = gymId): Promise<{ id: string; qrCode: string; email: string }> {
  const email = `${randomUUID()}@example.test`;
  const { body } = await platform.rest('identity', 'POST', '/auth/register', {
    body: { email, password: `pass-${randomUUID()}`, displayName: 'Ana', gymId: ofGym },
  });
  return { ...(body as { id: string; qrCode: string }), email };
}

describe('a turnstile', () => {
  it('lets members in and out at its location, and shows their names', async () => {
    const locationId = await hall(5);
    const { clientId, token } = await machineClient(locationId);
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
    expect(stored).toEqual([{ checked_in_by: clientId }]);
  });

  it('sees name, picture and membership of a member, but neither other parts of the account nor why staff changed the membership', async () => {
    const locationId = await hall(5);
    const token = await turnstile(locationId);
    const { id, qrCode } = await member();
    await setMembership(id, { status: 'ACTIVE', reason: 'Pays in cash' });
    const scan = (by: string) => gym('POST', '/locations/check-in', by, { qrCode, locationId });
    const membership = { gymId, status: 'ACTIVE', since: expect.any(String), until: null };
    const shown = { id, displayName: 'Ana', avatar: null };
    for (const status of [201, 200]) {
      const { status: answered, body } = await scan(token);
      expect([answered, body.member]).toEqual([
        status,
        { ...shown, membership: { ...membership, reason: null } },
      ]);
    }
    expect((await scan(staff)).body.member).toEqual({
      ...shown,
      membership: { ...membership, reason: 'Pays in cash' },
    });
    await setMembership(id, { status: 'FROZEN', reason: 'Owes money' });
    const { body: refusal } = await scan(token);
    expect(refusal.code).toBe('MEMBERSHIP_INACTIVE');
    expect(JSON.stringify(refusal)).not.toContain('Owes money');
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
    const override = { qrCode: two.qrCode, locationId, override: true };
    expect(
      await gym('POST', '/locations/check-in', await platform.demo('admin@aqua.test'), override),
    ).toMatchObject({ status: 403, body: { code: 'WRONG_GYM' } });
    expect(await gym('POST', '/locations/check-in', staff, override)).toMatchObject({
      status: 201,
      body: { method: 'OVERRIDE' },
    });
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

  it('checks members in by the graph, too, and sees their accounts only with members:read, without codes and visits', async () => {
    const locationId = await hall(5);
    const { id, qrCode, email } = await member();
    const checkIn = (selection: string, token: string) =>
      platform.graph(
        'gateway',
        `mutation ($input: CheckInInput!) { checkIn(input: $input) { ${selection} } }`,
        { input: { qrCode, locationId } },
        { token },
      );
    const token = await turnstile(locationId);
    const { data, errors } = await checkIn('duplicate location { id } user { id }', token);
    expect(errors).toBeUndefined();
    expect(data.checkIn).toEqual({ duplicate: false, location: { id: locationId }, user: { id } });
    const account = 'user { displayName email qrCode currentCheckIn { id } checkIns { nodes { id } } }';
    expect((await checkIn(account, token)).data.checkIn).toEqual({ user: null });
    const reader = await turnstile(locationId, ['check-in', 'members:read']);
    expect((await checkIn(account, reader)).data.checkIn.user).toEqual({
      displayName: 'Ana',
      email,
      qrCode: null,
      currentCheckIn: null,
      checkIns: null,
    });
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
