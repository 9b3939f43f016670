import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { book, newClass } from './class-support.ts';
import { newLocation } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

async function clientToken(scopes: readonly string[], locationId?: string): Promise<string> {
  const created = await platform.rest('identity', 'POST', '/api-clients', {
    token: staff,
    body: { name: 'Screen', scopes, ...(locationId && { locationId }) },
  });
  const { body } = await platform.rest('identity', 'POST', '/auth/token', {
    body: {
      grant_type: 'client_credentials',
      client_id: created.body.id,
      client_secret: created.body.secret,
    },
  });
  return body.access_token as string;
}

it('a machine client with classes:read reads classes, sessions and bookings, only of its location if it has one, and cannot book', async () => {
  const [here, there] = [await newLocation(platform, staff), await newLocation(platform, staff)];
  const [yoga, dance] = [
    await newClass(platform, staff, { locationId: here }),
    await newClass(platform, staff, { locationId: there }),
  ];
  const booking = await book(platform, staff, yoga.session.id);
  const [everywhere, atOne, without] = [
    await clientToken(['classes:read']),
    await clientToken(['classes:read'], here),
    await clientToken(['visits:read']),
  ];
  const get = (path: string, token: string) => platform.rest('gym', 'GET', path, { token });
  const idsAt = async (path: string, token: string) =>
    (await get(path, token)).body.map(({ id }: Untyped) => id as string);
  expect(await idsAt('/class-sessions?limit=200', everywhere)).toEqual(
    expect.arrayContaining([yoga.session.id, dance.session.id]),
  );
  expect(await idsAt('/class-sessions?limit=200', atOne)).toEqual([yoga.session.id]);
  expect(await idsAt(`/class-sessions?locationId=${there}`, atOne)).toEqual([yoga.session.id]);
  expect((await idsAt('/classes?limit=200', atOne)).length).toBe(2); // yoga, and the class of first visits
  expect((await get(`/class-sessions/${dance.session.id}`, atOne)).status).toBe(404);
  expect((await get(`/class-sessions/${yoga.session.id}`, atOne)).body).toMatchObject({
    booked: 1,
    myBooking: null,
  });
  expect((await get(`/class-sessions/${yoga.session.id}/bookings`, atOne)).body).toMatchObject([
    { id: booking.body.id },
  ]);
  expect((await get(`/bookings/${booking.body.id}`, atOne)).status).toBe(200);
  for (const path of [
    '/class-sessions',
    '/classes',
    `/class-sessions/${yoga.session.id}`,
    `/bookings/${booking.body.id}`,
  ])
    expect((await get(path, without)).status).toBe(403);
  expect((await get('/bookings', everywhere)).status).toBe(403);
  expect((await book(platform, everywhere, yoga.session.id)).status).toBe(403);
});
