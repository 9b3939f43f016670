import { afterAll, beforeAll, expect, it } from '@jest/globals';
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { book, newClass } from './class-support.ts';
import { newLocation, newMember, type Member } from './support.ts';

const PUBLIC_URL = 'https://gyms.example/gym';

let platform: TestPlatform;
let staff: string;
let maya: Member;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym'],
    env: { GYM_PUBLIC_URL: `${PUBLIC_URL}/` },
  });
  staff = await platform.demo('admin@iron.test');
  maya = await newMember(platform);
});
afterAll(() => platform.stop());

const TEXT =
  'Bring: mat, towel; "water"\nLine two, with a \\ and ünïcode 🧘 that makes the line much longer than the 75 octets that one line may have';

interface Entry {
  uid: string;
  start: string;
  end: string;
  summary: string;
  description: string;
  status: string;
}

/** The entries of a calendar by ical.js. */
function byIcalJs(text: string): Entry[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    return {
      uid: event.uid,
      start: event.startDate.toJSDate().toISOString(),
      end: event.endDate.toJSDate().toISOString(),
      summary: event.summary,
      description: event.description,
      status: String(component.getFirstPropertyValue('status')),
    };
  });
}

/** The text of a property: node-ical returns an object if the property has parameters. */
const textOf = (value: string | { val: string } | undefined): string =>
  typeof value === 'object' ? value.val : (value ?? '');

/** The entries of a calendar by node-ical. */
const byNodeIcal = (text: string): Entry[] =>
  Object.values(nodeIcal.sync.parseICS(text)).flatMap((event) =>
    event?.type === 'VEVENT'
      ? [
          {
            uid: event.uid,
            start: event.start.toISOString(),
            end: event.end?.toISOString() ?? '',
            summary: textOf(event.summary),
            description: textOf(event.description),
            status: event.status ?? '',
          },
        ]
      : [],
  );

const fetched = async (url: string) => {
  const response = await fetch(`${platform.url('gym')}${url.replace(PUBLIC_URL, '')}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

it("a user's calendar contains their bookings, and two independent parsers read the same from it", async () => {
  const locationId = await newLocation(platform, staff, { timezone: 'America/New_York', capacity: 20 });
  const { gymClass, sessions } = await newClass(platform, staff, {
    locationId,
    capacity: 1,
    description: TEXT,
    rrule: 'FREQ=DAILY;COUNT=3',
  });
  const [first, second] = sessions;
  const booked = await book(platform, maya.token, first.id);
  await book(platform, staff, second.id);
  const waiting = await book(platform, maya.token, second.id);
  const { body } = await platform.rest('gym', 'GET', '/users/me/calendar', { token: maya.token });
  expect(body.url).toMatch(/^https:\/\/gyms\.example\/gym\/class-sessions\.ics\?token=[\w-]{43}$/);
  const { status, type, text } = await fetched(body.url);
  expect([status, type]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
  const expected = [
    [booked.body.id, first, 'CONFIRMED'],
    [waiting.body.id, second, 'TENTATIVE'],
  ].map(([uid, session, state]) => ({
    uid,
    start: session.startsAt,
    end: session.endsAt,
    summary: gymClass.title,
    description: TEXT,
    status: state,
  }));
  expect(byIcalJs(text)).toEqual(expected);
  expect(byNodeIcal(text)).toEqual(expected);
  const all = await fetched(`${body.url}&all=true`);
  const ofClass = byIcalJs(all.text).filter(({ summary }) => summary === gymClass.title);
  expect(ofClass.map(({ uid }) => uid)).toEqual(sessions.map(({ id }) => id));
});

it('the calendar of a gym with more sessions than it may contain has all coming ones, without first visits', async () => {
  const locationId = await newLocation(platform, staff, { capacity: 20 });
  const { gymClass, sessions } = await newClass(platform, staff, { locationId, rrule: 'FREQ=DAILY;COUNT=3' });
  const { gymId } = (await platform.rest('gym', 'GET', `/classes/${gymClass.id}`, { token: staff })).body;
  const inserted = (firstVisits: boolean, count: number, when: string) =>
    platform.sql(
      'gym',
      `insert into class_session (id, class_id, gym_id, location_id, starts_at, ends_at, capacity, status, changed_at)
       select gen_random_uuid(), coalesce((select id from gym_class where location_id = $1 and is_first_visit and $5), $2), $3, $1,
         start, start + interval '30 minutes', 5, 'SCHEDULED', now()
       from generate_series(1, $4) as number cross join lateral (select now() ${when} * number as start) as at`,
      [locationId, gymClass.id, gymId, count, firstVisits],
    );
  await inserted(false, 1_100, "- interval '20 minutes'");
  await inserted(true, 1_100, "+ interval '10 seconds'");
  const { body } = await platform.rest('gym', 'GET', '/users/me/calendar', { token: maya.token });
  const entries = byIcalJs((await fetched(`${body.url}&all=true`)).text);
  expect(entries).toHaveLength(1_000);
  expect(entries.map(({ uid }) => uid)).toEqual(expect.arrayContaining(sessions.map(({ id }) => id)));
  expect(entries.map(({ start }) => start)).toEqual(entries.map(({ start }) => start).toSorted());
});

it('while the module is off, the calendars of members are refused, and those of staff answer as for a log-in', async () => {
  const urlOf = async (token: string) =>
    (await platform.rest('gym', 'GET', '/users/me/calendar', { token })).body.url as string;
  const [ofStaff, ofMember] = [await urlOf(staff), await urlOf(maya.token)];
  const superAdmin = await platform.demo('super@demo.test');
  const switchTo = (classes: boolean) =>
    platform.rest('gym', 'PUT', '/gym/config', {
      token: superAdmin,
      body: { gymId: DEMO_GYMS.ironTemple.id, features: { classes } },
    });
  await switchTo(false);
  try {
    const refused = await fetched(ofMember);
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([403, { code: 'FEATURE_DISABLED' }]);
    expect((await fetched(ofStaff)).text).toContain('BEGIN:VCALENDAR');
  } finally {
    await switchTo(true);
  }
  expect((await fetched(ofMember)).status).toBe(200);
});

it('the address of a calendar is private: it answers to no rotated, invented or absent token', async () => {
  const own = async () =>
    (await platform.rest('gym', 'GET', '/users/me/calendar', { token: maya.token })).body.url as string;
  const before = await own();
  expect(await own()).toBe(before);
  const rotated = await platform.rest('gym', 'POST', '/users/me/calendar/rotate', { token: maya.token });
  expect(rotated.status).toBe(200);
  expect((await fetched(before)).status).toBe(404);
  expect((await fetched(rotated.body.url)).status).toBe(200);
  expect((await fetched('/class-sessions.ics?token=x')).status).toBe(404);
  expect((await fetched('/class-sessions.ics')).status).toBe(401);
  const { data } = await platform.graph('gym', '{ myCalendar { url } }', {}, { token: maya.token });
  expect(data.myCalendar.url).toBe(rotated.body.url);
  const loggedIn = await fetch(`${platform.url('gym')}/class-sessions.ics`, {
    headers: { authorization: `Bearer ${maya.token}` },
  });
  expect(await loggedIn.text()).toContain('BEGIN:VCALENDAR');
});
