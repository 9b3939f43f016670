import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const gymId = DEMO_GYMS.ironTemple.id;
const location = demoId('301', 1);

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const call = (method: string, path: string, token: string, body?: object) =>
  platform.rest('identity', method, path, { token, ...(body && { body }) });

async function created(more: object = {}, token = staff): Promise<{ id: string; secret: string }> {
  const { status, body } = await call('POST', '/api-clients', token, {
    name: 'Turnstile',
    scopes: ['members:read', 'occupancy:read'],
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as { id: string; secret: string };
}

const tokenFor = ({ id, secret }: { id: string; secret: string }, more: object = {}) =>
  platform.rest('identity', 'POST', '/auth/token', {
    body: { grant_type: 'client_credentials', client_id: id, client_secret: secret, ...more },
  });

describe('a machine client', () => {
  it('is created with a secret that no other answer contains', async () => {
    const { status, body } = await call('POST', '/api-clients', staff, {
      name: 'Turnstile',
      scopes: ['check-in'],
      locationId: location,
      expiresAt: '2099-01-01T00:00:00Z',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      gymId,
      name: 'Turnstile',
      scopes: ['check-in'],
      locationId: location,
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: '2099-01-01T00:00:00.000Z',
      secret: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { secret, ...client } = body as { secret: string };
    const list = await call('GET', '/api-clients?limit=200', staff);
    expect(list.body).toContainEqual(client);
    expect(JSON.stringify(list.body)).not.toContain(secret);
    const stored = await platform.sql('identity', 'select * from api_client_secret');
    expect(JSON.stringify(stored)).not.toContain(secret);
    const audited = await call('GET', '/audit-events?limit=200', superAdmin);
    expect(audited.body).toContainEqual(
      expect.objectContaining({
        action: 'API_CLIENT_CREATED',
        details: { clientId: (client as { id?: string }).id, gymId, scopes: 'check-in' },
      }),
    );
    expect(JSON.stringify(audited.body)).not.toContain(secret);
  });

  it('is managed in the same way by the graph', async () => {
    const create =
      'mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { id gymId name scopes locationId expiresAt secret } }';
    const input = { name: 'CRM', scopes: ['members:read'] };
    const { data } = await platform.graph('identity', create, { input }, { token: staff });
    const { id, secret } = data.createApiClient as { id: string; secret: string };
    expect(data.createApiClient).toMatchObject({
      gymId,
      name: 'CRM',
      scopes: ['members:read'],
      locationId: null,
    });
    const listed = await platform.graph(
      'identity',
      '{ apiClients(first: 200) { nodes { id name lastUsedAt } } }',
      {},
      { token: staff },
    );
    expect(listed.data.apiClients.nodes).toContainEqual({ id, name: 'CRM', lastUsedAt: null });
    const rotated = await platform.graph(
      'identity',
      'mutation ($id: ID!) { rotateApiClientSecret(input: { id: $id }) { secret } }',
      { id },
      { token: staff },
    );
    expect(rotated.data.rotateApiClientSecret.secret).not.toBe(secret);
    const removed = await platform.graph(
      'identity',
      'mutation ($id: ID!) { deleteApiClient(input: { id: $id }) }',
      { id },
      { token: staff },
    );
    expect(removed.data.deleteApiClient).toBe(true);
    expect((await tokenFor({ id, secret })).status).toBe(401);
  });

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['members:read', 'members:read'] }, 'scopes'],
    [{ scopes: ['everything'] }, 'scopes.0'],
    [{ name: '\u200b' }, 'name'],
    [{ expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
    [{ locationId: randomUUID() }, 'locationId'],
    [{ locationId: demoId('301', 3) }, 'locationId'], // of another gym
  ])('is refused with %j', async (more, path) => {
    const { status, body } = await call('POST', '/api-clients', staff, {
      name: 'Turnstile',
      scopes: ['check-in'],
      ...more,
    });
    expect(status).toBe(400);
    expect(body.errors).toContainEqual(expect.objectContaining({ path }));
  });

  it('belongs to a gym: its staff and SUPER_ADMINs manage it, and nobody else', async () => {
    const { id } = await created();
    for (const token of [otherStaff, await platform.demo('maya@iron.test')]) {
      expect([403, 404]).toContain((await call('POST', `/api-clients/${id}/rotate`, token)).status);
      expect([403, 404]).toContain((await call('DELETE', `/api-clients/${id}`, token)).status);
    }
    expect((await call('GET', '/api-clients', otherStaff)).body).toEqual([]);
    expect(
      (await call('POST', '/api-clients', superAdmin, { name: 'X', scopes: ['check-in'] })).body.code,
    ).toBe('GYM_REQUIRED');
    expect((await call('POST', `/api-clients/${id}/rotate`, superAdmin)).status).toBe(200);
    const ofGym = await call('GET', `/api-clients?gymId=${gymId}&limit=200`, superAdmin);
    expect(ofGym.body).toContainEqual(expect.objectContaining({ id }));
  });

  it('is one of at most 100 of its gym, also if many are created at once', async () => {
    const other = DEMO_GYMS.aquaClub.id;
    const tries = await Promise.all(
      Array.from({ length: 110 }, (_, number) =>
        call('POST', '/api-clients', superAdmin, { name: `C ${number}`, scopes: ['check-in'], gymId: other }),
      ),
    );
    expect(tries.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(tries.filter(({ status }) => status === 409)).toHaveLength(10);
  });
});

describe('a token of a machine client', () => {
  it('has the scopes of the client, or some of them, and no role', async () => {
    const client = await created({ locationId: location });
    const { status, body } = await tokenFor(client);
    expect({ status, ...body }).toEqual({
      status: 200,
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'members:read occupancy:read',
    });
    expect(jwt.decode(body.access_token as string)).toMatchObject({
      sub: `client:${client.id}`,
      gymId,
      locationId: location,
      scope: 'members:read occupancy:read',
    });
    expect(jwt.decode(body.access_token as string)).not.toHaveProperty('role');
    expect((await tokenFor(client, { scope: 'occupancy:read' })).body.scope).toBe('occupancy:read');
    for (const scope of ['check-in', 'occupancy:read check-in', ' '])
      expect(await tokenFor(client, { scope })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'scope', message: expect.any(String) }] },
      });
    const listed = await call('GET', '/api-clients?limit=200', staff);
    expect(listed.body).toContainEqual(
      expect.objectContaining({ id: client.id, lastUsedAt: expect.any(String) }),
    );
  });

  it('is issued for a form and for HTTP Basic authentication, too', async () => {
    const { id, secret } = await created();
    const url = `${platform.url('identity')}/auth/token`;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    });
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200);
    const basic = (value: string) => ({ authorization: `Basic ${Buffer.from(value).toString('base64')}` });
    const grant = new URLSearchParams({ grant_type: 'client_credentials' });
    const status = async (value: string, body = grant) =>
      (await fetch(url, { method: 'POST', headers: basic(value), body })).status;
    expect(await status(`${id}:${secret}`)).toBe(200);
    expect(await status(`${id}:wrong`)).toBe(401);
    expect(await status(id)).toBe(401);
    expect(await status('%:%')).toBe(401);
    expect(await status(`${id}:${secret}`, form)).toBe(400); // with the secret in the header and in the form
    expect((await fetch(url, { method: 'POST', body: grant })).status).toBe(401);
  });

  it('expires with its client at the latest, and an expired client gets no token', async () => {
    const client = await created({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
    const { body } = await tokenFor(client);
    expect(body.expires_in).toBeLessThanOrEqual(60);
    await platform.sql('identity', `update api_client set expires_at = now() where id = '${client.id}'`);
    expect((await tokenFor(client)).status).toBe(401);
  });

  it('is issued for two secrets during a rotation, and only for the last two', async () => {
    const first = await created();
    const rotate = async () =>
      (await call('POST', `/api-clients/${first.id}/rotate`, staff)).body as typeof first;
    const second = await rotate();
    for (const one of [first, second]) expect((await tokenFor(one)).status).toBe(200);
    const third = await rotate();
    expect((await tokenFor(first)).status).toBe(401);
    for (const one of [second, third]) expect((await tokenFor(one)).status).toBe(200);
    await platform.sql(
      'identity',
      'update api_client_secret set valid_until = now() where valid_until is not null',
    );
    expect((await tokenFor(second)).status).toBe(401);
    expect((await tokenFor(third)).status).toBe(200);
  });

  it('is refused after the deletion of its client, by identity at once and by gym within seconds', async () => {
    const client = await created();
    const token = (await tokenFor(client)).body.access_token as string;
    expect((await platform.rest('gym', 'GET', '/locations', { token })).status).toBe(200);
    const deletedAt = Date.now();
    expect((await call('DELETE', `/api-clients/${client.id}`, staff)).status).toBe(204);
    expect((await call('GET', '/users/all', token)).status).toBe(401);
    await eventually(async () => (await platform.rest('gym', 'GET', '/locations', { token })).status === 401);
    expect(Date.now() - deletedAt).toBeLessThan(withinOnThisMachine(10_000)); // usually at most 5 s
    expect((await tokenFor(client)).status).toBe(401);
  });

  it('that is issued while its client is deleted is refused, too', async () => {
    const answers: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const client = await created();
      const [issued] = await Promise.all([
        tokenFor(client),
        call('DELETE', `/api-clients/${client.id}`, staff),
      ]);
      const token = (issued.body.access_token as string | undefined) ?? 'none';
      answers.push((await call('GET', '/users/all', token)).status);
    }
    expect(new Set(answers)).toEqual(new Set([401]));
  });
});

describe('the rights of a machine client', () => {
  it('are those of its scopes, in its gym', async () => {
    const token = (await tokenFor(await created())).body.access_token as string;
    const { status, body } = await call('GET', '/users/all?limit=200', token);
    expect(status).toBe(200);
    expect(new Set((body as { gymId: string }[]).map((user) => user.gymId))).toEqual(new Set([gymId]));
    for (const user of body as object[]) {
      expect(user).toHaveProperty('email');
      for (const secret of ['qrCode', 'body', 'trainingGoals']) expect(user).not.toHaveProperty(secret);
    }
    expect((await call('GET', `/users/all?gymId=${DEMO_GYMS.aquaClub.id}`, token)).status).toBe(403);
    for (const path of ['/users/me', '/auth/me']) expect((await call('GET', path, token)).status).toBe(403);
  });

  it('are limited to its location, if it has one', async () => {
    const token = (await tokenFor(await created({ locationId: location }))).body.access_token as string;
    const listed = await platform.rest('gym', 'GET', '/locations', { token });
    expect((listed.body as { id: string }[]).map(({ id }) => id)).toEqual([location]);
    const other = await platform.rest('gym', 'GET', `/locations/${demoId('301', 2)}/occupancy`, { token });
    expect(other.status).toBe(404);
  });
});
