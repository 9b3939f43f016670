import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import type { TestPlatform, Untyped } from '../support/platform.ts';
import { localIn, moveInTime } from './class-support.ts';
import type { RestCalls } from './index-use-shop.ts';

/** The number of groups of ten people: `person` has a row for every ten bookings, and one group books each session. */
const bucketsOf = (bookings: number): number => Math.max(1, Math.floor(bookings / 100));

/**
 * Classes at every location, sessions of the past and of the coming weeks, and `bookings` bookings of the rows in
 * `person`.
 */
export const classRows = (gymId: string, locationId: string, bookings: number): string[] => [
  `insert into gym_class (id, gym_id, location_id, title, duration_minutes, capacity, starts_at, rrule, following, made_until, created_at)
   select gen_random_uuid(), gym_id, id, 'Class ' || name, 60, 20, '2026-01-05T18:00', 'FREQ=WEEKLY', '[]', now() + interval '1 year', now()
   from location`,
  `insert into class_session (id, class_id, gym_id, location_id, occurrence, starts_at, ends_at, capacity, booked, status, changed_at)
   select gen_random_uuid(), gym_class.id, gym_class.gym_id, gym_class.location_id, n::text, at, at + interval '1 hour', 20, 10,
     case when at < now() then 'DONE' else 'SCHEDULED' end, at
   from gym_class, generate_series(1, case when gym_id = '${gymId}' then ${Math.ceil(bookings / 10)} else 2 end) n,
     lateral (select now() + interval '30 days' - n * interval '1 hour' as at) as time
   where starts_at is not null and (gym_id <> '${gymId}' or location_id = '${locationId}')`,
  `insert into booking (id, session_id, gym_id, user_id, status, has_place, number, starts_at, booked_at)
   select gen_random_uuid(), session.id, session.gym_id, person.id, case when session.status = 'DONE' then 'ATTENDED' else 'BOOKED' end,
     true, person.n, session.starts_at, now()
   from (select *, row_number() over (order by id) % ${bucketsOf(bookings)} as bucket from class_session where gym_id = '${gymId}') as session
   join (select id, n, n % ${bucketsOf(bookings)} as bucket from person) as person using (bucket)
   on conflict do nothing`,
  `insert into calendar_feed (user_id, gym_id, token, created_at) select id, '${gymId}', md5(id::text), now() from person`,
];

/** Calls every route of classes, sessions, bookings, calendars and first visits, and runs their jobs. */
export async function useClasses(
  platform: TestPlatform,
  { route, nextPage }: RestCalls,
  {
    staff,
    member,
    other,
    locationId,
  }: { staff: string; member: Untyped; other: Untyped; locationId: string },
): Promise<void> {
  const { token } = member;
  // Both times are on the same day. A new time on another day would cancel the first session, which this test then
  // books.
  const at = (time: string) => ({
    startsAt: `${localIn(48).slice(0, 10)}T${time}`,
    rrule: 'FREQ=DAILY;COUNT=9',
  });
  const body = { locationId, title: 'Yoga', durationMinutes: 60, capacity: 1, recurrence: at('18:00') };
  const { id } = await route('POST', '/classes', staff, { body });
  await route('GET', '/classes', token);
  await nextPage('/classes?limit=1', staff);
  await route('GET', '/classes/:id', token, { id });
  await route('GET', '/classes/:id/occurrences', token, { id });
  await route('PUT', '/classes/:id', staff, {
    id,
    body: { durationMinutes: 45, recurrence: at('19:00') },
  });
  await route('GET', '/class-sessions', token);
  // A range of fixed length: PostgreSQL reads the whole table if a range contains most of it.
  await nextPage(`/class-sessions?limit=1&from=${localIn(-72)}:00Z`, token);
  await nextPage(`/class-sessions?limit=1&locationId=${locationId}`, token);
  const sessions = await route('GET', '/class-sessions', token, { query: `?classId=${id}` });
  const session = { id: sessions[0].id };
  await route('GET', '/class-sessions/:id', token, session);
  const booking = await route('POST', '/class-sessions/:id/bookings', token, session);
  const waiting = await route('POST', '/class-sessions/:id/bookings', other.token, session);
  await route('POST', '/class-sessions/:id/bookings', token, { id: sessions[1].id }); // for a second page
  await route('GET', '/class-sessions/:id/bookings', staff, session);
  await nextPage(`/class-sessions/${session.id}/bookings?limit=1`, staff);
  await route('GET', '/bookings', token);
  await route('GET', '/bookings', token, { query: '?coming=true' });
  await nextPage('/bookings?limit=1&coming=true', token);
  await route('GET', '/bookings', staff, { query: `?userId=${member.id}&status=BOOKED` });
  await route('GET', '/bookings/:id', token, { id: booking.id });
  await route('PUT', '/class-sessions/:id', staff, {
    ...session,
    body: { instructor: 'Ada', scope: 'FOLLOWING' },
  });
  await route('DELETE', '/bookings/:id', token, { id: booking.id });
  await moveInTime(platform, session.id, 30);
  await route('PUT', '/bookings/:id', staff, { id: waiting.id, body: { status: 'NO_SHOW' } });
  const calendar = await route('GET', '/users/me/calendar', token);
  await route('GET', '/class-sessions.ics', token, { query: calendar.url.replace(/^[^?]*/, '') });
  await route('GET', '/class-sessions.ics', token, { query: '?all=true' });
  await route('POST', '/users/me/calendar/rotate', token);
  for (const job of ['make_class_sessions', 'finish_class_sessions'])
    await runScheduled(platform, 'gym', job);
  await platform.sql(
    'gym',
    "select graphile_worker.add_job('mark_attendance', json_build_object('userId', $1::text))",
    [member.id],
  );
  await eventually(async () => {
    const left = await platform.sql(
      'gym',
      "select 1 from graphile_worker.jobs where task_identifier = 'mark_attendance' or (task_identifier like '%class_sessions' and key is null)",
    );
    return left.length === 0;
  });
  await route('DELETE', '/classes/:id', staff, { id });
  const wizard = await platform.serviceToken('wizard');
  const time = { locationId, startsAt: `${localIn(48).slice(0, 10)}T10:00:00Z` };
  await route('GET', '/first-visits/places', wizard, { query: `?${new URLSearchParams(time).toString()}` });
  const visit = { ...time, id: randomUUID(), userId: other.id };
  await route('POST', '/first-visits', wizard, { body: visit });
  await route('GET', '/first-visits/booked', wizard, { query: `?ids=${visit.id}` });
  await route('DELETE', '/first-visits/:id', wizard, { id: visit.id });
}
