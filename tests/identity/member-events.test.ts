import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Scope } from '#server/auth/scopes.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { register, someone } from './support.ts';

let platform: TestPlatform;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const { aquaClub } = DEMO_GYMS;

async function gymWith(joinPolicy: string): Promise<string> {
  const { body } = await platform.rest('gym', 'POST', '/gyms', {
    token: superAdmin,
    body: { name: 'Another gym', slug: `gym-${randomUUID().slice(0, 8)}`, joinPolicy },
  });
  return body.id as string;
}

const set = (userId: string, body: object, token = superAdmin) =>
  platform.rest('identity', 'PUT', `/users/${userId}/membership`, { token, body });

/** The events about a user in the feed of a gym, the oldest first: the end of the type, and the status of the membership. */
async function eventsOf(gymId: string, userId: string): Promise<string[]> {
  const { body } = await platform.rest('identity', 'GET', `/events?gymId=${gymId}&limit=200`, {
    token: superAdmin,
  });
  return (body.events as { type: string; subject: string; data: Record<string, never> }[])
    .filter(({ subject }) => subject === `member/${userId}`)
    .map(({ type, data }) => {
      const status: string = (data.membership as { status?: string } | undefined)?.status ?? 'id only';
      return `${type.replace('member.', '')} ${status}`;
    });
}

describe('the events of a membership', () => {
  it('report that it begins, changes, ends and begins again', async () => {
    const gymId = await gymWith('APPROVAL');
    const { id } = (await register(platform, someone({ gymId }))).body;
    for (const status of ['ACTIVE', 'FROZEN', 'ACTIVE', 'ENDED', 'ENDED', 'ACTIVE'])
      await set(id, { status });
    expect(await eventsOf(gymId, id)).toEqual([
      'joined PENDING',
      'updated ACTIVE',
      'updated FROZEN',
      'updated ACTIVE',
      'removed id only',
      'joined ACTIVE',
    ]);
  });

  it('report a move to both gyms, and to nobody what the user does after an end', async () => {
    const gymId = await gymWith('OPEN');
    const body = someone({ gymId });
    const { id } = (await register(platform, body)).body;
    const move = (to: string | null) =>
      platform.rest('identity', 'PUT', `/users/${id}/gym`, { token: superAdmin, body: { gymId: to } });
    await move(aquaClub.id);
    await move(null);
    const token = await platform.login(body.email, body.password);
    await platform.rest('identity', 'PUT', '/profile', { token, body: { displayName: 'Renamed' } });
    expect(await eventsOf(gymId, id)).toEqual(['joined ACTIVE', 'removed id only']);
    expect(await eventsOf(aquaClub.id, id)).toEqual(['joined ACTIVE', 'removed id only']);
  });

  it('do not report a change of the reason only, and never contain the reason', async () => {
    const gymId = await gymWith('OPEN');
    const { id } = (await register(platform, someone({ gymId }))).body;
    await set(id, { status: 'ACTIVE', reason: 'A secret reason' });
    await set(id, { status: 'ACTIVE', reason: 'A secret reason' });
    expect(await eventsOf(gymId, id)).toEqual(['joined ACTIVE']);
    const stored = await platform.sql(
      'identity',
      `select 1 from event where data::text like '%secret reason%'`,
    );
    expect(stored).toEqual([]);
  });
});

describe('a machine client', () => {
  async function clientWith(gymId: string, scopes: readonly Scope[]): Promise<string> {
    const { body: client } = await platform.rest('identity', 'POST', '/api-clients', {
      token: superAdmin,
      body: { name: 'CRM', scopes, gymId },
    });
    const { body } = await platform.rest('identity', 'POST', '/auth/token', {
      body: { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret },
    });
    return body.access_token as string;
  }

  it('with members:write changes memberships of its gym, also by the graph; one with members:read sees them without the reason', async () => {
    const gymId = await gymWith('OPEN');
    const { id } = (await register(platform, someone({ gymId }))).body;
    const [writer, reader] = [
      await clientWith(gymId, ['members:write']),
      await clientWith(gymId, ['members:read']),
    ];
    const changed = await set(id, { status: 'FROZEN', reason: 'Unpaid' }, writer);
    expect(changed.body.membership).toMatchObject({ status: 'FROZEN', reason: 'Unpaid' });
    expect(changed.body).not.toHaveProperty('email');
    const { data } = await platform.graph(
      'identity',
      'mutation Set($input: SetMembershipInput!) { setMembership(input: $input) { membership { status } } }',
      { input: { userId: id, status: 'ENDED', reason: 'Unpaid' } },
      { token: writer },
    );
    expect(data.setMembership.membership.status).toBe('ENDED');
    const { body } = await platform.rest('identity', 'GET', `/users/${id}`, { token: reader });
    expect(body.membership).toMatchObject({ status: 'ENDED', reason: null });
    for (const hidden of ['qrCode', 'emailVerified', 'suspension']) expect(body).not.toHaveProperty(hidden);
    const listed = await platform.rest('identity', 'GET', '/users/all?status=ENDED', { token: reader });
    expect(listed.body.map((user: { id: string }) => user.id)).toEqual([id]);
    expect((await set(id, { status: 'ACTIVE' }, reader)).status).toBe(403);
    const ofOtherGym = await clientWith(aquaClub.id, ['members:write', 'members:read']);
    expect((await set(id, { status: 'ACTIVE' }, ofOtherGym)).status).toBe(404);
    const audited = await platform.rest('identity', 'GET', `/audit-events?userId=${id}`, {
      token: superAdmin,
    });
    expect(audited.body[0].actor).toMatch(/^client:/);
  });
});
