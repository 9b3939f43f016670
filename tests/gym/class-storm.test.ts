import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';
import { localIn, newClass, storedMembers } from './class-support.ts';
import { newLocation, newMember, type Member } from './support.ts';

/**
 * The number of rounds. Each sends bookings, and changes of a class and its sessions, at the same time and in a random
 * order; then it checks the counts.
 */
const ROUNDS = Number(process.env.STORM_ROUNDS ?? 2);

let platform: TestPlatform;
let staff: string;
let members: Member[];
let stored: string[];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  members = await Promise.all(Array.from({ length: 3 }, () => newMember(platform)));
  stored = await storedMembers(platform, 30);
});
afterAll(() => platform.stop());

const call = (method: string, path: string, token: string, body?: object) =>
  platform.rest('gym', method, path, { token, ...(body && { body }) });

/**
 * Sessions whose counts differ from their bookings, that have more bookings than places, that have free places although
 * members wait, or that have another start than one of their bookings.
 */
const WRONG = `
  select id from class_session
  where booked <> (select count(*) from booking where session_id = class_session.id and has_place)
    or waiting <> (select count(*) from booking where session_id = class_session.id and status = 'WAITING')
    or booked > capacity
    or (status = 'SCHEDULED' and starts_at > now() and waiting > 0 and booked < capacity)
    or exists (select 1 from booking where session_id = class_session.id and booking.starts_at <> class_session.starts_at)`;

it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
  'round %i: the counts are right after simultaneous bookings, changes of the class, a cancelled session and an erased account',
  async () => {
    const locationId = await newLocation(platform, staff, { capacity: 50, timezone: 'UTC' });
    const { gymClass, sessions } = await newClass(platform, staff, {
      locationId,
      capacity: 4,
      rrule: 'FREQ=DAILY;COUNT=5',
    });
    const erased = await newMember(platform);
    const identity = await platform.serviceToken('identity');
    const bookings: string[] = [];
    const booked = async (sessionId: string, token: string, userId?: string): Promise<RestAnswer> => {
      const answer = await call(
        'POST',
        `/class-sessions/${sessionId}/bookings`,
        token,
        userId ? { userId } : {},
      );
      if (answer.status === 201) bookings.push(answer.body.id as string);
      return answer;
    };
    const calls: (() => Promise<RestAnswer>)[] = [
      ...sessions.flatMap(({ id }) => [
        ...stored.slice(0, 8).map((userId) => () => booked(id as string, staff, userId)),
        ...[...members, erased].map(
          ({ token }) =>
            () =>
              booked(id as string, token),
        ),
        () => call('PUT', `/class-sessions/${id}`, staff, { capacity: 6 }),
        async () => call('DELETE', `/bookings/${bookings.at(-1) ?? id}`, staff),
        async () => call('DELETE', `/bookings/${bookings[0] ?? id}`, staff),
      ]),
      ...[5, 9, 3].map((capacity) => () => call('PUT', `/classes/${gymClass.id}`, staff, { capacity })),
      ...[20, 30].map(
        (hours) => () =>
          call('PUT', `/classes/${gymClass.id}`, staff, {
            recurrence: { startsAt: localIn(hours), rrule: 'FREQ=DAILY;COUNT=5' },
          }),
      ),
      () =>
        call('PUT', `/class-sessions/${sessions[1].id}`, staff, { instructor: 'Ada', scope: 'FOLLOWING' }),
      () => call('PUT', `/class-sessions/${sessions[3].id}`, staff, { status: 'CANCELLED' }),
      () => call('DELETE', `/accounts/${erased.id}`, identity),
    ];
    const answers = await Promise.all(
      calls
        .map((one) => ({ one, at: Math.random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ one }) => one()),
    );
    expect(answers.filter(({ status }) => status >= 500).map(({ status, body }) => [status, body])).toEqual(
      [],
    );
    expect(await platform.sql('gym', WRONG)).toEqual([]);
    expect(await platform.sql('gym', 'select 1 from booking where user_id = $1', [erased.id])).toEqual([]);
    await call('DELETE', `/classes/${gymClass.id}`, staff);
    expect(await platform.sql('gym', WRONG)).toEqual([]);
  },
);
