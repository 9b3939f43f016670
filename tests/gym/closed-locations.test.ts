import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { book, newClass } from './class-support.ts';
import { checkIn, newLocation, newMember, peopleInside } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const update = (id: string, body: object) =>
  platform.rest('gym', 'PUT', `/locations/${id}`, { token: staff, body });

describe('a location that is closed for good', () => {
  const close = (id: string, token: string, headers: Record<string, string> = {}) =>
    platform.rest('gym', 'DELETE', `/locations/${id}`, { token, headers });

  it('ends its visits and keeps them; staff still see it, and nobody can check in', async () => {
    const [maya, leo] = [await newMember(platform), await newMember(platform)];
    const hall = await newLocation(platform, staff);
    const { body: visit } = await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    expect((await close(hall, maya.token)).status).toBe(403);
    expect((await close(hall, await platform.demo('admin@aqua.test'))).status).toBe(404);
    expect((await close(hall, staff, { 'if-match': '"7"' })).status).toBe(412);
    expect((await close(hall, staff)).status).toBe(204);
    expect((await close(hall, staff)).status).toBe(204); // again: nothing changes

    const seen = await platform.rest('gym', 'GET', `/locations/${hall}`, { token: staff });
    expect(seen).toMatchObject({
      status: 200,
      body: { closedAt: expect.any(String), version: 2, occupancy: { people: 0 } },
    });
    expect(await peopleInside(platform, staff, hall)).toBe(0);
    for (const token of [maya.token, await platform.serviceToken('wizard')])
      expect((await platform.rest('gym', 'GET', `/locations/${hall}`, { token })).status).toBe(404);
    const listed = async (token: string) =>
      ((await platform.rest('gym', 'GET', '/locations', { token })).body as { id: string }[]).some(
        ({ id }) => id === hall,
      );
    expect([await listed(staff), await listed(maya.token)]).toEqual([true, false]);
    for (const token of [leo.token, staff])
      expect((await checkIn(platform, token, { qrCode: leo.qrCode, locationId: hall })).status).toBe(404);
    expect((await update(hall, { capacity: 3 })).body.code).toBe('CONFLICT');

    const history = await platform.rest('gym', 'GET', `/locations/${hall}/visits`, { token: staff });
    expect(history.body).toMatchObject([{ id: visit.id, checkedOutAt: expect.any(String) }]);
    // Events are published after the commit.
    const events = await eventually(async () => {
      const published = await platform.sql(
        'gym',
        'select type from event where subject = $1 order by position',
        [`check-in/${visit.id}`],
      );
      return published.length >= 2 && published;
    });
    expect(events.map(({ type }) => type)).toEqual(['check_in.opened', 'check_in.closed']);
    const { body: audited } = await platform.rest('gym', 'GET', '/audit?action=LOCATION_CLOSED', {
      token: staff,
    });
    expect(audited).toMatchObject([{ subjectId: hall }]);
  });

  it('shows its name in the visits of a member', async () => {
    const maya = await newMember(platform);
    const name = `Hall ${randomUUID()}`;
    const hall = await newLocation(platform, staff, { name });
    await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    const { data } = await platform.graph(
      'gym',
      'mutation ($id: ID!) { closeLocation(id: $id) }',
      { id: hall },
      { token: staff },
    );
    expect(data).toEqual({ closeLocation: true });
    const visits = await platform.graph(
      'gym',
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { checkIns { nodes { location { name } } } } } }',
      { of: [{ __typename: 'User', id: maya.id }] },
      { token: maya.token },
    );
    expect(visits.data._entities).toEqual([{ checkIns: { nodes: [{ location: { name } }] } }]);
  });

  it('still has its name in the bookings of its classes, for members, too', async () => {
    const maya = await newMember(platform);
    const hall = await newLocation(platform, staff);
    const { session } = await newClass(platform, staff, { locationId: hall });
    await book(platform, maya.token, session.id);
    expect((await close(hall, staff)).status).toBe(204);
    const { data, errors } = await platform.graph(
      'gym',
      '{ bookings(first: 1) { nodes { session { location { id name } class { location { id } } } } } }',
      {},
      { token: maya.token },
    );
    expect(errors).toBeUndefined();
    expect(data.bookings.nodes).toMatchObject([
      { session: { location: { id: hall, name: expect.any(String) }, class: { location: { id: hall } } } },
    ]);
  });

  it('either refuses a check-in at the same time as the closing, or ends its visit', async () => {
    for (let round = 0; round < 5; round += 1) {
      const hall = await newLocation(platform, staff);
      const people = await Promise.all(Array.from({ length: 5 }, () => newMember(platform)));
      const answers = await Promise.all([
        ...people.map(({ qrCode }) => checkIn(platform, staff, { qrCode, locationId: hall })),
        close(hall, staff),
      ]);
      expect(answers.filter(({ status }) => ![201, 404, 204].includes(status))).toEqual([]);
      expect(
        await platform.sql(
          'gym',
          'select 1 from check_in where location_id = $1 and checked_out_at is null',
          [hall],
        ),
      ).toEqual([]);
    }
  });
});
