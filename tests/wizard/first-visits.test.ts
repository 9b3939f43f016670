import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { settled } from './support.ts';

/** The beginning of a half hour, this many days from now. */
const inDays = (days: number): Date =>
  new Date(Math.floor((Date.now() + days * DAY_MILLIS) / 1_800_000) * 1_800_000);

describe.each(['database', 'memory'])('first visits in %s', (storage) => {
  let platform: TestPlatform;
  let superAdmin: string;
  let staff: string;
  beforeAll(async () => {
    platform = await startPlatform({
      services: ['identity', 'gym', 'nutrition', 'wizard'],
      env: { WIZARD_STORAGE: storage, WIZARD_DEPLOYMENT_RETRY_MILLIS: '100' },
    });
    superAdmin = await platform.demo('super@demo.test');
    staff = await platform.demo('admin@iron.test');
  });
  afterAll(() => platform.stop());

  const newLocation = async (
    gymId: string = DEMO_GYMS.ironTemple.id,
    { timezone = 'UTC', capacity = 3 } = {},
  ) => {
    const body = { gymId, name: `Room ${randomUUID()}`, timezone, capacity };
    return (await platform.rest('gym', 'POST', '/locations', { token: superAdmin, body })).body.id as string;
  };
  const prepared = async (token: string, locationId: string, startsAt: Date) => {
    const call = (method: string, path: string, body: object) =>
      platform.rest('wizard', method, path, { token, body });
    const { id } = (await call('POST', '/', { kind: 'MEMBER_ONBOARDING' })).body;
    const steps = {
      profile: { displayName: 'New Member' },
      body: { heightCm: 170, weightKg: 60 },
      goals: { goals: ['strength'], nutritionTarget: false },
      slot: { locationId, startsAt: startsAt.toISOString() },
      review: { confirmed: true },
    };
    for (const [step, data] of Object.entries(steps)) await call('PUT', `/${id}`, { step, data });
    return id as string;
  };
  const deployed = async (token: string, locationId: string, startsAt: Date) => {
    const id = await prepared(token, locationId, startsAt);
    const { status } = await platform.rest('wizard', 'POST', `/${id}/deploy`, { token });
    expect(status).toBe(202);
    return settled(platform, id);
  };
  const visits = (query: string, token = staff) =>
    platform.rest('wizard', 'GET', `/first-visits?${query}`, { token });
  const reserve = (token: string, sessionId: string, locationId: string, startsAt: Date) => {
    const value = encodeURIComponent(`${locationId}@${startsAt.toISOString()}`);
    const path = `/check-availability?resource=slot&value=${value}&reserve=true&sessionId=${sessionId}`;
    return platform.rest('wizard', 'GET', path, { token });
  };

  it('are listed for the staff of the gym, through both doors', async () => {
    const [early, late] = [await platform.register(), await platform.register()];
    const locationId = await newLocation();
    const sessions = [
      await deployed(late.token, locationId, inDays(5)),
      await deployed(early.token, locationId, inDays(4)),
    ];
    expect(sessions.map(({ status }) => status)).toEqual(['DEPLOYED', 'DEPLOYED']);
    const here = (list: { locationId: string }[]) => list.filter((visit) => visit.locationId === locationId);
    const expected = [[early, sessions[1], inDays(4)] as const, [late, sessions[0], inDays(5)] as const].map(
      ([{ id: userId }, { id }, startsAt]) => ({
        id,
        userId,
        locationId,
        startsAt: startsAt.toISOString(),
        endsAt: new Date(startsAt.getTime() + 1_800_000).toISOString(),
      }),
    );
    expect(here((await visits('')).body)).toEqual(expected);
    expect(here((await visits(`from=${inDays(5).toISOString()}`)).body)).toEqual(expected.slice(1));
    expect(here((await visits(`to=${inDays(5).toISOString()}`)).body)).toEqual(expected.slice(0, 1));
    const day = inDays(4).toISOString().slice(0, 10);
    expect(here((await visits(`from=${day}&to=${day}`)).body)).toEqual(expected.slice(0, 1));
    const { data } = await platform.graph(
      'wizard',
      '{ firstVisits { id userId locationId startsAt endsAt user { id } } }',
      {},
      { token: staff },
    );
    expect(here(data.firstVisits)).toEqual(
      expected.map((visit) => ({ ...visit, user: { id: visit.userId } })),
    );
    expect(here((await visits(`gymId=${DEMO_GYMS.ironTemple.id}`, superAdmin)).body)).toEqual(expected);
    expect(here((await visits('', await platform.demo('admin@aqua.test'))).body)).toEqual([]);
    expect((await visits('', early.token)).status).toBe(403);
    expect((await visits(`gymId=${DEMO_GYMS.aquaClub.id}`)).status).toBe(403);
    expect((await visits('', superAdmin)).status).toBe(400); // no gym is named
    expect((await visits('from=tomorrow')).status).toBe(400);
    expect((await visits(`from=${inDays(1).toISOString()}&to=${inDays(200).toISOString()}`)).status).toBe(
      400,
    );
  });

  it('are listed once the session is deployed, and not while the deployment may still be undone', async () => {
    const member = await platform.register();
    const locationId = await newLocation();
    const id = await prepared(member.token, locationId, inDays(6));
    // The action after the slot fails and is repeated until the trigger is dropped.
    await platform.sql(
      'identity',
      `create or replace function fail_profile() returns trigger language plpgsql as $$ begin raise exception 'fails'; end $$;
       create or replace trigger fail_profile before update on user_account for each row
         when (new.id = '${member.id}') execute function fail_profile()`,
    );
    const listed = async () =>
      (await visits('')).body.map((visit: { id: string }) => visit.id).filter((one: string) => one === id);
    expect((await platform.rest('wizard', 'POST', `/${id}/deploy`, { token: member.token })).status).toBe(
      202,
    );
    await eventually(async () => {
      const { body } = await platform.rest('wizard', 'GET', `/${id}`, { token: member.token });
      const actions: { name: string; attempts: number }[] = body.deployment?.actions ?? [];
      return actions.some(({ name, attempts }) => name === 'profile' && attempts > 0);
    });
    expect(await listed()).toEqual([]);
    await platform.sql('identity', 'drop trigger fail_profile on user_account');
    expect((await settled(platform, id)).status).toBe('DEPLOYED');
    expect(await listed()).toEqual([id]);
  });

  it('are not offered once they have begun or staff have cancelled them; they keep their time, and have the length of the class', async () => {
    const [first, second] = [await platform.register(), await platform.register()];
    const locationId = await newLocation();
    expect((await deployed(first.token, locationId, inDays(7))).status).toBe('DEPLOYED');
    const sessions = () =>
      platform.sql(
        'gym',
        `select id, class_id as "classId", (extract(epoch from ends_at - starts_at) / 60)::int as minutes
         from class_session where location_id = $1 order by starts_at`,
        [locationId],
      );
    const [session] = await sessions();
    const change = (path: string, body: object) => platform.rest('gym', 'PUT', path, { token: staff, body });
    const later = new Date(inDays(7).getTime() + 3_600_000).toISOString();
    expect((await change(`/class-sessions/${session.id}`, { startsAt: later })).body.code).toBe('CONFLICT');
    expect((await change(`/classes/${session.classId}`, { durationMinutes: 45 })).status).toBe(200);
    expect((await deployed(second.token, locationId, inDays(8))).status).toBe('DEPLOYED');
    expect((await sessions()).map(({ minutes }) => minutes)).toEqual([45, 45]);
    const isOffered = async (startsAt: Date) => {
      const value = encodeURIComponent(`${locationId}@${startsAt.toISOString()}`);
      const path = `/check-availability?resource=slot&value=${value}`;
      return (await platform.rest('wizard', 'GET', path, {})).body;
    };
    expect(await isOffered(inDays(7))).toMatchObject({ available: true });
    expect((await change(`/class-sessions/${session.id}`, { status: 'CANCELLED' })).status).toBe(200);
    expect(await isOffered(inDays(7))).toMatchObject({ available: false, reason: 'FULL' });
    const third = await deployed((await platform.register()).token, locationId, inDays(7));
    expect(third.deployment.actions[1].error).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('no place for a first visit'), // not "fully booked": nobody has booked it
    });
    expect(await isOffered(inDays(0))).toMatchObject({ available: false, reason: 'PAST' });
  });

  it('are listed by the local day of their location', async () => {
    const member = await platform.register();
    const locationId = await newLocation(DEMO_GYMS.ironTemple.id, { timezone: 'Pacific/Kiritimati' }); // UTC+14
    const noon = new Date(`${inDays(6).toISOString().slice(0, 10)}T12:00:00Z`);
    expect((await deployed(member.token, locationId, noon)).status).toBe('DEPLOYED');
    const on = async (time: Date) => {
      const day = time.toISOString().slice(0, 10);
      const { body } = await visits(`from=${day}&to=${day}`);
      return body.some((visit: { locationId: string }) => visit.locationId === locationId);
    };
    expect([await on(noon), await on(new Date(noon.getTime() + DAY_MILLIS))]).toEqual([false, true]);
  });

  it('of the neighbouring day do not use up the limit of a list by days', async () => {
    if (storage === 'memory') return; // the test writes rows by SQL
    const member = await platform.register();
    const locationId = await newLocation();
    const day = inDays(20).toISOString().slice(0, 10);
    const { id } = await deployed(member.token, locationId, new Date(`${day}T12:00:00Z`));
    // 1,100 visits on the evening before. The service reads them, too, because a location may be ahead of UTC.
    await platform.sql(
      'wizard',
      `with copies as (
         insert into wizard_session
         select (jsonb_populate_record(null::wizard_session, to_jsonb(s) || jsonb_build_object('id', gen_random_uuid()))).*
         from wizard_session s, generate_series(1, 1100) where s.id = $1 returning id
       )
       insert into reservation
       select (jsonb_populate_record(null::reservation, to_jsonb(r) || jsonb_build_object('id', gen_random_uuid(),
         'session_id', copies.id, 'member_id', null, 'place', row_number() over () + 10, 'starts_at', r.starts_at - interval '14 hours'))).*
       from reservation r, copies where r.session_id = $1`,
      [id],
    );
    const { body } = await visits(`from=${day}&to=${day}`);
    expect(body.map((visit: { id: string }) => visit.id)).toEqual([id]);
  });

  it('are limited to one for each member: a second is refused, and a reservation replaces an earlier one', async () => {
    const { token } = await platform.register();
    const locationId = await newLocation();
    const [first, second] = [
      await prepared(token, locationId, inDays(3)),
      await prepared(token, locationId, inDays(4)),
    ];
    expect((await reserve(token, first, locationId, inDays(3))).body.available).toBe(true);
    expect((await reserve(token, second, locationId, inDays(4))).body.available).toBe(true);
    const reservedPlaces = async (time: Date) => {
      const others = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const other = await platform.register();
          const { body } = await platform.rest('wizard', 'POST', '/', {
            token: other.token,
            body: { kind: 'MEMBER_ONBOARDING' },
          });
          return (await reserve(other.token, body.id, locationId, time)).body.available as boolean;
        }),
      );
      return others.filter((isFree) => !isFree).length;
    };
    // The first reservation was replaced: all three places are free at its time, and two at the time of the second.
    expect([await reservedPlaces(inDays(3)), await reservedPlaces(inDays(4))]).toEqual([0, 1]);

    const place = await newLocation();
    const third = await prepared(token, place, inDays(3));
    const fourth = await prepared(token, place, inDays(4));
    await Promise.all(
      [third, fourth].map((id) => platform.rest('wizard', 'POST', `/${id}/deploy`, { token })),
    );
    const ended = [await settled(platform, third), await settled(platform, fourth)];
    expect(ended.map(({ status }) => String(status)).toSorted()).toEqual(['DEPLOYED', 'FAILED']);
    const failed = ended.find(({ status }) => status === 'FAILED');
    expect(failed.deployment.actions[1]).toMatchObject({
      name: 'slot',
      status: 'FAILED',
      error: { code: 'CONFLICT' },
    });
    expect((await reserve(token, first, locationId, inDays(5))).body).toMatchObject({
      available: false,
      reason: 'BOOKED',
    });
    const { body } = await visits('');
    expect(body.filter((visit: { locationId: string }) => visit.locationId === place)).toHaveLength(1);
  });

  it('no longer count once they are cancelled at the gym: the place is free, and the member can have another', async () => {
    const locationId = await newLocation(DEMO_GYMS.ironTemple.id, { capacity: 1 });
    const cancelled = async (token: string) => {
      const visit = await deployed(token, locationId, inDays(9));
      const path = `/bookings/${visit.deployment.result.slot.bookingId}`;
      expect((await platform.rest('gym', 'DELETE', path, { token: staff })).status).toBeLessThan(300);
    };
    const [first, second, third] = [
      await platform.register(),
      await platform.register(),
      await platform.register(),
    ];
    await cancelled(first.token);
    const session = await prepared(first.token, locationId, inDays(10));
    expect((await reserve(first.token, session, locationId, inDays(10))).body).toMatchObject({
      available: true,
    });
    const value = encodeURIComponent(`${locationId}@${inDays(9).toISOString()}`);
    const offered = await platform.rest('wizard', 'GET', `/check-availability?resource=slot&value=${value}`);
    expect(offered.body).toMatchObject({ available: true });

    await cancelled(second.token);
    // Nobody has asked for the slot since: the deployment itself finds that its place is free.
    expect((await deployed(third.token, locationId, inDays(9))).status).toBe('DEPLOYED');
    expect((await deployed(second.token, locationId, inDays(11))).status).toBe('DEPLOYED');
    // A visit that is not cancelled still counts.
    const another = await prepared(second.token, locationId, inDays(12));
    expect((await reserve(second.token, another, locationId, inDays(12))).body.reason).toBe('BOOKED');
    const fourth = await platform.register();
    expect((await deployed(fourth.token, locationId, inDays(9))).status).toBe('FAILED');
    // Staff still see the cancelled visits, also those whose place and member have another visit now.
    const { body } = await visits(`from=${inDays(9).toISOString()}&to=${inDays(9.5).toISOString()}`);
    const users = body.filter((visit: { locationId: string }) => visit.locationId === locationId);
    expect(users.map(({ userId }: { userId: string }) => userId).toSorted()).toEqual(
      [first, second, third].map(({ id }) => id).toSorted(),
    );
  });

  it('are at most 90 days ahead', async () => {
    const { token } = await platform.register();
    const locationId = await newLocation();
    const session = await prepared(token, locationId, inDays(91));
    expect((await reserve(token, session, locationId, inDays(91))).body).toMatchObject({
      available: false,
      reason: 'TOO_FAR',
      suggestions: [],
    });
    expect((await reserve(token, session, locationId, inDays(89))).body.available).toBe(true);
    const { body } = await platform.rest(
      'wizard',
      'GET',
      `/check-availability?resource=slot&value=${locationId}@9999-12-31T12:00:00Z`,
    );
    expect(body).toMatchObject({ available: false, reason: 'TOO_FAR' });
  });
});
