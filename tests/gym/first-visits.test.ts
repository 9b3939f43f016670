import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MILLIS } from '#server/durations.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { moveInTime, sessionsOf } from './class-support.ts';
import { newLocation, newMember } from './support.ts';

let platform: TestPlatform;
let staff: string;
let wizard: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  wizard = await platform.serviceToken('wizard');
});
afterAll(() => platform.stop());

const HOUR_MILLIS = 3_600_000;
/** A full hour, a week ahead. */
const startsAt = new Date(Math.floor((Date.now() + 7 * DAY_MILLIS) / HOUR_MILLIS) * HOUR_MILLIS);
const hoursLater = (hours: number): string =>
  new Date(startsAt.getTime() + hours * HOUR_MILLIS).toISOString();

interface Visit {
  id: string;
  locationId: string;
  startsAt: string;
  userId: string;
}
const bookVisit = (visit: Visit) =>
  platform.rest('gym', 'POST', '/first-visits', { token: wizard, body: visit });
const placesAt = async (locationId: string, start: string): Promise<Untyped> => {
  const query = new URLSearchParams({ locationId, startsAt: start }).toString();
  return (await platform.rest('gym', 'GET', `/first-visits/places?${query}`, { token: wizard })).body;
};
/** A first visit of a new member at a new location, with its session. */
const bookedVisit = async (capacity = 3) => {
  const locationId = await newLocation(platform, staff, { timezone: 'UTC', capacity });
  const { id: userId } = await newMember(platform);
  const visit: Visit = { id: randomUUID(), locationId, startsAt: startsAt.toISOString(), userId };
  const { body: booking } = await bookVisit(visit);
  const classId = booking.session.classId as string;
  const [session] = await sessionsOf(platform, staff, classId);
  return { visit, booking, classId, session };
};
const anotherVisit = async (visit: Visit, change: Partial<Visit> = {}) =>
  bookVisit({ ...visit, id: randomUUID(), userId: (await newMember(platform)).id, ...change });

type Change = (
  id: string,
  change: object,
) => Promise<{ code: string | undefined; message?: string; session: Untyped }>;
const doors: Record<string, Change> = {
  rest: async (id, change) => {
    const { status, body } = await platform.rest('gym', 'PUT', `/class-sessions/${id}`, {
      token: staff,
      body: change,
    });
    return { code: status === 200 ? undefined : body.code, message: body.detail, session: body };
  },
  graph: async (id, change) => {
    const { data, errors } = await platform.graph(
      'gym',
      'mutation ($input: UpdateClassSessionInput!) { updateClassSession(input: $input) { startsAt capacity version status } }',
      { input: { id, ...change } },
      { token: staff },
    );
    const [error] = errors ?? [];
    return {
      code: error?.extensions?.code,
      ...(error && { message: error.message }),
      session: data?.updateClassSession,
    };
  },
};

describe.each(Object.keys(doors))('a session of first visits, changed through %s,', (name) => {
  const change = doors[name] as Change;

  it('keeps the time that its members have chosen, and accepts other changes that name this time', async () => {
    const { visit, session } = await bookedVisit();
    for (const scope of ['THIS', 'FOLLOWING'])
      expect(await change(session.id, { startsAt: hoursLater(1), scope })).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('First visits keep the time that their members have chosen'),
      });
    const { code, session: changed } = await change(session.id, { startsAt: visit.startsAt, capacity: 2 });
    expect(code).toBeUndefined();
    expect(changed).toMatchObject({ startsAt: visit.startsAt, capacity: 2, version: session.version + 1 });
    // Whoever chooses either time gets a session at this time.
    for (const start of [visit.startsAt, hoursLater(1)])
      expect((await anotherVisit(visit, { startsAt: start })).body.session.startsAt).toBe(start);
  });

  it('has no places after staff have cancelled it, and refuses bookings with the reason that is true then', async () => {
    const { visit, booking, session } = await bookedVisit(1);
    expect(await placesAt(visit.locationId, visit.startsAt)).toEqual({ capacity: 1, booked: 1 });
    const full = await anotherVisit(visit);
    expect(full).toMatchObject({ status: 409, body: { code: 'SESSION_CLOSED' } });
    expect(full.body.detail).toContain('All places of first visits at that time are booked');

    expect((await change(session.id, { status: 'CANCELLED' })).code).toBeUndefined();
    expect(await placesAt(visit.locationId, visit.startsAt)).toEqual({ capacity: 0, booked: 0 });
    expect(await placesAt(visit.locationId, hoursLater(1))).toEqual({ capacity: 1, booked: 0 });
    const refused = await anotherVisit(visit);
    expect(refused).toMatchObject({ status: 409, body: { code: 'SESSION_CLOSED' } });
    expect(refused.body.detail).toContain('has begun or is cancelled');
    // A repeated request returns what became of its booking.
    expect(await bookVisit(visit)).toMatchObject({
      status: 201,
      body: { id: booking.id, status: 'CANCELLED' },
    });
  });
});

describe('a first visit', () => {
  it('is as long as its class: staff can change the length', async () => {
    const { visit, classId } = await bookedVisit();
    const minutes = async () =>
      (await sessionsOf(platform, staff, classId)).map(
        (session) => (Date.parse(session.endsAt) - Date.parse(session.startsAt)) / 60_000,
      );
    expect(await minutes()).toEqual([30]);
    const body = { durationMinutes: 45 };
    expect((await platform.rest('gym', 'PUT', `/classes/${classId}`, { token: staff, body })).status).toBe(
      200,
    );
    // The wizard offers every half hour, so a session may begin before the one before it has ended.
    for (const start of [hoursLater(0.5), hoursLater(3)])
      expect((await anotherVisit(visit, { startsAt: start })).status).toBe(201);
    expect(await minutes()).toEqual([45, 45, 45]);
  });

  it('that has begun is not called fully booked, even if all its places were taken and staff have cancelled it', async () => {
    const { visit, booking, session } = await bookedVisit(1);
    await moveInTime(platform, session.id, -5);
    const attended = { token: staff, body: { status: 'ATTENDED' } };
    expect((await platform.rest('gym', 'PUT', `/bookings/${booking.id}`, attended)).status).toBe(200);
    expect((await doors.rest?.(session.id, { status: 'CANCELLED' }))?.code).toBeUndefined();
    const { body } = await anotherVisit(visit);
    expect(body).toMatchObject({ code: 'SESSION_CLOSED' });
    expect(body.detail).toContain('has begun or is cancelled');
  });

  it('is refused with a code for the reason: no such location, a closed location, no membership, a time in the past, a repeated booking', async () => {
    const { visit } = await bookedVisit();
    const codeOf = async (change: Partial<Visit>) => (await anotherVisit(visit, change)).body.code as string;
    expect(await codeOf({ locationId: randomUUID() })).toBe('NOT_FOUND');
    expect(await codeOf({ userId: (await newMember(platform, null)).id })).toBe('MEMBERSHIP_INACTIVE');
    expect(await codeOf({ startsAt: new Date(Date.now() - 60_000).toISOString() })).toBe('SESSION_CLOSED');
    expect(await codeOf({ userId: visit.userId })).toBe('CONFLICT'); // another id, the same member
    expect(await codeOf({ id: visit.id, startsAt: hoursLater(2) })).toBe('CONFLICT'); // the same id, another time
    await platform.rest('gym', 'DELETE', `/locations/${visit.locationId}`, { token: staff });
    expect(await codeOf({})).toBe('NOT_FOUND');
  });
});
