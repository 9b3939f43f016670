import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { moveInTime, newClass, sessionsOf } from './class-support.ts';

const HOUR_MILLIS = 3_600_000;

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const put = (path: string, body: object) => platform.rest('gym', 'PUT', path, { token: staff, body });
const change = async (id: string, body: object) => {
  const answer = await put(`/class-sessions/${id}`, body);
  expect(answer.status).toBe(200);
};
/** The sessions of a class by their ids. */
const byId = async (classId: string) =>
  new Map((await sessionsOf(platform, staff, classId)).map((session) => [session.id as string, session]));
/** The stored changes that also apply to sessions that are made later. */
const followingOf = async (classId: string): Promise<object[]> => {
  const [stored] = await platform.sql('gym', 'select following from gym_class where id = $1', [classId]);
  return stored.following;
};
const later = (instant: string, hours: number): string =>
  new Date(Date.parse(instant) + hours * HOUR_MILLIS).toISOString();

describe('a change of a session', () => {
  it('that names no field leaves it a session that changes with its class', async () => {
    const { gymClass, session } = await newClass(platform, staff, { rrule: 'FREQ=DAILY;COUNT=2' });
    await change(session.id, {});
    await change(session.id, { scope: 'THIS', capacity: null });
    expect((await put(`/classes/${gymClass.id}`, { instructor: 'Ada' })).status).toBe(200);
    expect((await byId(gymClass.id)).get(session.id)).toMatchObject({ instructor: 'Ada' });
  });

  it('and of those that follow is stored once for each session from which it applies', async () => {
    const { gymClass, sessions } = await newClass(platform, staff, { rrule: 'FREQ=DAILY;COUNT=4' });
    const [first, second, third] = sessions;
    await change(second.id, { scope: 'FOLLOWING' });
    expect(await followingOf(gymClass.id)).toEqual([]);
    for (const capacity of [5, 6, 7]) await change(second.id, { capacity, scope: 'FOLLOWING' });
    await change(second.id, { startsAt: later(second.startsAt, 1), scope: 'FOLLOWING' });
    await change(second.id, { startsAt: later(second.startsAt, 2), scope: 'FOLLOWING' });
    const ofSecond = {
      from: second.startsAt.slice(0, 16),
      shiftMinutes: 120,
      capacity: 7,
    };
    expect(await followingOf(gymClass.id)).toEqual([ofSecond]);
    await change(third.id, { capacity: 9, durationMinutes: 30, scope: 'FOLLOWING' });
    const ofThird = { from: third.startsAt.slice(0, 16), durationMinutes: 30 };
    expect(await followingOf(gymClass.id)).toEqual([ofSecond, { ...ofThird, capacity: 9 }]);
    await change(first.id, { capacity: 4, scope: 'FOLLOWING' });
    expect(await followingOf(gymClass.id)).toEqual([
      { from: first.startsAt.slice(0, 16), capacity: 4 },
      { from: ofSecond.from, shiftMinutes: 120 },
      ofThird,
    ]);
  });

  it('moves none of those that follow into the past, and none that have begun', async () => {
    const { gymClass, sessions } = await newClass(platform, staff, {
      inHours: 48,
      rrule: 'FREQ=DAILY;COUNT=5',
    });
    const [first, second, third, fourth, fifth] = sessions;
    // Staff had moved these before: the second one begins in 2 hours, the third one runs, the fourth one is over.
    await moveInTime(platform, second.id, 120);
    await moveInTime(platform, third.id, -10);
    await moveInTime(platform, fourth.id, -90);
    const before = await byId(gymClass.id);
    await change(first.id, { startsAt: later(first.startsAt, -3), capacity: 5, scope: 'FOLLOWING' });
    const after = await byId(gymClass.id);
    const startsAndPlaces = [first, second, third, fourth, fifth].map(({ id }) => {
      const { startsAt, endsAt, capacity } = after.get(id) ?? {};
      return { startsAt, endsAt, capacity };
    });
    const unmoved = (id: string, capacity: number) => {
      const { startsAt, endsAt } = before.get(id) ?? {};
      return { startsAt, endsAt, capacity };
    };
    const moved = ({ startsAt, endsAt }: { startsAt: string; endsAt: string }) => ({
      startsAt: later(startsAt, -3),
      endsAt: later(endsAt, -3),
      capacity: 5,
    });
    expect(startsAndPlaces).toEqual([
      moved(first as never),
      unmoved(second.id, 5),
      unmoved(third.id, 5),
      unmoved(fourth.id, 2),
      moved(fifth as never),
    ]);
  });
});
