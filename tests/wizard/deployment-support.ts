import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { mailedToken } from '../identity/support.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import type { NewGym } from './support.ts';

const start = (storage: string, gateway = false) =>
  startPlatform({
    services: ['identity', 'gym', 'nutrition', 'wizard'],
    gateway,
    env: {
      WIZARD_STORAGE: storage,
      WIZARD_DEPLOYMENT_RETRY_MILLIS: '100',
      WIZARD_DEPLOYMENT_LEASE_MILLIS: '1000',
    },
  });

/** A platform with a wizard in one kind of store, for the tests of a `describe`, and functions for their deployments. */
export function deploymentsIn(storage: string) {
  let platform: TestPlatform;
  let superAdmin: string;
  beforeAll(async () => {
    platform = await start(storage, storage === 'database');
    superAdmin = await platform.demo('super@demo.test');
  });
  afterAll(() => platform.stop());

  const deploy = (id: string, token = superAdmin, body?: object) =>
    platform.rest('wizard', 'POST', `/${id}/deploy`, { token, ...(body && { body }) });
  const gymsNamed = async (name: string): Promise<{ id: string; slug: string }[]> =>
    (await platform.rest('gym', 'GET', `/gyms?name=${encodeURIComponent(name)}`)).body;

  /** The stored text of a session and of its deployment. Only for a wizard in the database. */
  const storedTextOf = async (id: string): Promise<string> => {
    const rows = await platform.sql(
      'wizard',
      'select w.data, s.actions, s.context from wizard_session w join saga s on s.subject = w.id::text where w.id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    return JSON.stringify(rows);
  };

  /** Checks a new gym in the other services. */
  const expectGym = async (gym: NewGym, result: { gymId: string; locationIds: string[] }) => {
    expect(await gymsNamed(gym.basics.name)).toEqual([
      expect.objectContaining({
        id: result.gymId,
        slug: gym.basics.slug,
        timezone: gym.basics.timezone,
        joinPolicy: 'OPEN',
      }),
    ]);
    expect((await platform.rest('gym', 'GET', `/gym/config/${gym.basics.slug}`)).body).toMatchObject({
      gymId: result.gymId,
      theme: gym.branding.theme,
      features: gym.features.features,
    });
    const password = `pass-${randomUUID()}`;
    const confirm = { token: await mailedToken(platform, gym.admin.email), password };
    await platform.rest('identity', 'POST', '/auth/password-reset/confirm', { body: confirm });
    const token = await platform.login(gym.admin.email, password);
    const me = (await platform.rest('identity', 'GET', '/users/me', { token })).body;
    expect(me).toMatchObject({ role: 'GYM_ADMIN', gymId: result.gymId, displayName: 'First Admin' });
    const locations = (await platform.rest('gym', 'GET', '/locations', { token })).body as { id: string }[];
    expect(locations).toEqual([
      expect.objectContaining({
        name: 'Main hall',
        capacity: 40,
        timezone: 'Europe/Berlin',
        openingHours: gym.locations.locations[0]?.openingHours,
      }),
      expect.objectContaining({ name: 'Pool', capacity: 20, timezone: 'Europe/Vienna', address: 'Water 1' }),
    ]);
    expect(locations.map(({ id }) => id)).toEqual(result.locationIds);
    const availability = await platform.rest(
      'wizard',
      'GET',
      `/check-availability?resource=gym-name&value=${encodeURIComponent(gym.basics.name)}`,
    );
    expect(availability.body).toMatchObject({ available: false, reason: 'TAKEN' });
  };

  return {
    get platform() {
      return platform;
    },
    get superAdmin() {
      return superAdmin;
    },
    deploy,
    gymsNamed,
    storedTextOf,
    expectGym,
  };
}
