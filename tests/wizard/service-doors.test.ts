import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { uuidv7 } from '#server/ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

describe('for the wizard service, with its own token', () => {
  let platform: TestPlatform;
  let token: string;
  const actor = randomUUID();
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'gym', 'nutrition'] });
    token = await platform.serviceToken('wizard');
  });
  afterAll(() => platform.stop());
  const call = (service: 'identity' | 'gym' | 'nutrition', method: string, path: string, body?: object) =>
    platform.rest(service, method, path, {
      token,
      headers: { 'x-on-behalf-of': actor },
      ...(body && { body }),
    });
  const newGym = async () => {
    const id = uuidv7();
    const gym = { id, name: `Gym ${id}`, slug: `gym-${id.slice(-12)}` };
    expect((await call('gym', 'POST', '/gyms', gym)).status).toBe(201);
    return gym;
  };

  it('a gym is created once with the chosen id, set up, and the audit trail names the user', async () => {
    const gym = await newGym();
    expect(await call('gym', 'POST', '/gyms', gym)).toMatchObject({ status: 201, body: { id: gym.id } });
    expect(await call('gym', 'POST', '/gyms', { ...gym, id: uuidv7() })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    });
    const config = { gymId: gym.id, theme: { colors: { primary: '#123456' } }, version: 1 };
    expect((await call('gym', 'PUT', '/gym/config', config)).body).toMatchObject({ version: 2 });
    const location = {
      id: uuidv7(),
      gymId: gym.id,
      name: 'Hall',
      timezone: 'Europe/Berlin',
      capacity: 5,
      openingHours: { mon: [{ opens: '06:30', closes: '22:00' }] },
    };
    for (let i = 0; i < 2; i += 1)
      expect((await call('gym', 'POST', '/locations', location)).body).toMatchObject(location);
    expect((await call('gym', 'GET', `/locations/${location.id}`)).body).toMatchObject(location);
    expect((await call('gym', 'POST', '/locations', { ...location, gymId: randomUUID() })).status).toBe(404);
    expect(
      (await call('gym', 'GET', `/gyms?name=${encodeURIComponent(gym.name.toUpperCase())}`)).body,
    ).toEqual([expect.objectContaining({ id: gym.id })]);
    const events = await platform.sql(
      'gym',
      'select action, actor_id, details from audit_event where gym_id = $1 order by id',
      [gym.id],
    );
    expect(events).toEqual([
      { action: 'GYM_CREATED', actor_id: actor, details: { slug: gym.slug, service: 'wizard' } },
      {
        action: 'LOCATION_CREATED',
        actor_id: actor,
        details: { locationId: location.id, service: 'wizard' },
      },
    ]);
    expect((await call('gym', 'GET', `/gym/config/${gym.slug}`)).body.theme.colors.primary).toBe('#123456');
  });

  it('of simultaneous requests with one chosen id, one creates the gym, and all return it', async () => {
    const id = uuidv7();
    const gym = { id, name: `Gym ${id}`, slug: `gym-${id.slice(-12)}` };
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('gym', 'POST', '/gyms', gym)));
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ status: 201 })));
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([id]));
    const slug = `other-${id.slice(-12)}`;
    expect(await call('gym', 'POST', '/gyms', { ...gym, slug })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', detail: 'This id belongs to another gym.' },
    });
    const taken = await call('gym', 'POST', '/gyms', { ...gym, id: uuidv7() });
    expect(taken.body).toMatchObject({ code: 'CONFLICT', errors: [{ path: 'slug' }] });
  });

  it('simultaneous invitations with one chosen id all return the same invited user', async () => {
    const id = uuidv7();
    const invitation = { id, email: `${id}@example.test`, displayName: 'Eve', role: 'GYM_ADMIN' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('identity', 'POST', '/invitations', invitation)),
    );
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ status: 201 })));
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([id]));
  });

  it('opening hours are checked', async () => {
    const { id: gymId } = await newGym();
    const location = { gymId, name: 'Hall', timezone: 'UTC', capacity: 5 };
    for (const openingHours of [
      { mon: { opens: '22:00', closes: '06:00' }, tue: { opens: '05:00', closes: '12:00' } },
      { mon: { opens: '6:00', closes: '07:00' } },
      { monday: { opens: '06:00', closes: '07:00' } },
    ])
      expect((await call('gym', 'POST', '/locations', { ...location, openingHours })).status).toBe(400);
  });

  it('a gym that this service created can be withdrawn with its locations, but no gym in use or of another creator', async () => {
    const gym = await newGym();
    const location = { id: uuidv7(), gymId: gym.id, name: 'Hall', timezone: 'UTC', capacity: 5 };
    await call('gym', 'POST', '/locations', location);
    expect((await call('gym', 'DELETE', `/gyms/${gym.id}`)).status).toBe(204);
    expect((await call('gym', 'DELETE', `/gyms/${gym.id}`)).status).toBe(404);
    expect((await call('gym', 'GET', `/locations/${location.id}`)).status).toBe(404);
    expect((await call('gym', 'GET', `/gym/config/${gym.slug}`)).status).toBe(404);
    expect((await call('gym', 'DELETE', `/gyms/${DEMO_GYMS.aquaClub.id}`)).status).toBe(404);

    // The retention of the audit trail may have removed the record of the creation.
    const old = await newGym();
    await platform.sql(
      'gym',
      `alter table audit_event disable trigger user; delete from audit_event where gym_id = '${old.id}';
       alter table audit_event enable trigger user`,
    );
    expect((await call('gym', 'DELETE', `/gyms/${old.id}`)).status).toBe(204);

    const used = await newGym();
    const superAdmin = await platform.demo('super@demo.test');
    const post = { gymId: used.id, text: 'First!' };
    expect((await platform.rest('gym', 'POST', '/posts', { token: superAdmin, body: post })).status).toBe(
      201,
    );
    expect((await call('gym', 'DELETE', `/gyms/${used.id}`)).status).toBe(409);
    const other = await platform.serviceToken('squad');
    const unused = await newGym();
    expect((await platform.rest('gym', 'DELETE', `/gyms/${unused.id}`, { token: other })).status).toBe(404);
  });

  it('an invitation is created once with the chosen id, and can be withdrawn', async () => {
    const id = uuidv7();
    const invitation = { id, email: `${id}@example.test`, displayName: 'Ada', role: 'GYM_ADMIN' };
    for (let i = 0; i < 2; i += 1)
      expect(await call('identity', 'POST', '/invitations', invitation)).toMatchObject({
        status: 201,
        body: { id, role: 'GYM_ADMIN' },
      });
    const [event] = await platform.sql(
      'identity',
      'select actor, details from audit_event where subject_id = $1',
      [id],
    );
    expect(event).toMatchObject({ actor: 'service:wizard', details: { onBehalfOf: actor } });
    expect((await call('identity', 'DELETE', `/invitations/${id}`)).status).toBe(204);
    expect((await call('identity', 'DELETE', `/invitations/${id}`)).status).toBe(404);
  });

  it('profiles and nutrition goals of a user are written by the service, and not by other users', async () => {
    const user = await platform.register();
    const profile = { userId: user.id, displayName: 'Renamed', timezone: 'Asia/Tokyo' };
    expect((await call('identity', 'PUT', '/profile', profile)).body).toMatchObject({
      id: user.id,
      displayName: 'Renamed',
      timezone: 'Asia/Tokyo',
    });
    expect((await call('identity', 'PUT', '/profile', { displayName: 'X' })).status).toBe(400);
    expect((await call('identity', 'PUT', '/profile', { ...profile, userId: randomUUID() })).status).toBe(
      404,
    );
    const stranger = await platform.register();
    const answer = await platform.rest('identity', 'PUT', '/profile', {
      token: stranger.token,
      body: profile,
    });
    expect(answer.body.id).toBe(stranger.id);

    const goal = { userId: user.id, calories: 2_000 };
    expect((await call('nutrition', 'PUT', '/goals', goal)).status).toBe(200);
    expect((await call('nutrition', 'GET', `/goals?userId=${user.id}`)).body).toMatchObject([
      { calories: 2_000 },
    ]);
    expect((await call('nutrition', 'GET', '/goals')).status).toBe(400);
    for (const [method, status] of [
      ['GET', 404],
      ['DELETE', 403],
    ] as const)
      expect(
        (await platform.rest('nutrition', method, `/goals?userId=${user.id}`, { token: stranger.token }))
          .status,
      ).toBe(status);
    expect((await call('nutrition', 'DELETE', `/goals?userId=${user.id}`)).status).toBe(204);
    expect((await call('nutrition', 'DELETE', `/goals?userId=${user.id}`)).status).toBe(404);
  });
});
