import { randomUUID } from 'node:crypto';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { mailsIn } from '../support/outbox.ts';
import type { TestPlatform, Untyped } from '../support/platform.ts';
import { newLocation } from './support.ts';

const HOUR_MILLIS = 3_600_000;

/** The local time in UTC some hours from now, `YYYY-MM-DDTHH:MM`. */
export const localIn = (hours: number): string =>
  new Date(Date.now() + hours * HOUR_MILLIS).toISOString().slice(0, 16);

interface ClassOptions {
  /** Default: a new location in UTC with 100 places. */
  locationId?: string;
  capacity?: number;
  /** Hours from now to the first session. Default 24. */
  inHours?: number;
  rrule?: string | null;
  [field: string]: unknown;
}

/** Creates a class, by default one that takes place once. Returns it with its sessions; `session` is the first one. */
export async function newClass(
  platform: TestPlatform,
  staff: string,
  { locationId, inHours = 24, rrule = null, ...fields }: ClassOptions = {},
): Promise<{ gymClass: Untyped; session: Untyped; sessions: Untyped[] }> {
  const created = await platform.rest('gym', 'POST', '/classes', {
    token: staff,
    body: {
      locationId: locationId ?? (await newLocation(platform, staff, { capacity: 100, timezone: 'UTC' })),
      title: `Yoga ${randomUUID().slice(0, 8)}`,
      durationMinutes: 60,
      capacity: 2,
      recurrence: { startsAt: localIn(inHours), rrule },
      ...fields,
    },
  });
  if (created.status !== 201) throw new Error(`no class: ${JSON.stringify(created.body)}`);
  const sessions = await sessionsOf(platform, staff, created.body.id as string);
  return { gymClass: created.body, session: sessions[0], sessions };
}

/** The sessions of a class, the earliest first. */
export async function sessionsOf(platform: TestPlatform, token: string, classId: string): Promise<Untyped[]> {
  const to = new Date(Date.now() + 700 * 24 * HOUR_MILLIS).toISOString();
  const from = new Date(Date.now() - 30 * 24 * HOUR_MILLIS).toISOString();
  const { body } = await platform.rest(
    'gym',
    'GET',
    `/class-sessions?classId=${classId}&from=${from}&to=${to}&limit=200`,
    { token },
  );
  return body;
}

export const book = (platform: TestPlatform, token: string, sessionId: string, body: object = {}) =>
  platform.rest('gym', 'POST', `/class-sessions/${sessionId}/bookings`, { token, body });

export const cancel = (platform: TestPlatform, token: string, bookingId: string) =>
  platform.rest('gym', 'DELETE', `/bookings/${bookingId}`, { token });

/** Moves the start of a session and its bookings by SQL, to simulate passing time. Negative minutes are in the past. */
export async function moveInTime(
  platform: TestPlatform,
  sessionId: string,
  minutesFromNow: number,
): Promise<void> {
  await platform.sql(
    'gym',
    `update class_session set ends_at = now() + $2 * interval '1 minute' + (ends_at - starts_at),
       starts_at = now() + $2 * interval '1 minute' where id = $1`,
    [sessionId, minutesFromNow],
  );
  await platform.sql(
    'gym',
    `update booking set starts_at = class_session.starts_at from class_session
     where class_session.id = session_id and session_id = $1`,
    [sessionId],
  );
}

/** Inserts accounts of Iron Temple, for staff to book for. Registrations would take longer: each hashes a password. @returns ids */
export async function storedMembers(platform: TestPlatform, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const { id: like } = await platform.register();
  await platform.sql(
    'identity',
    `insert into user_account select (jsonb_populate_record(account, jsonb_build_object(
         'id', given, 'email', given || '@example.test', 'qr_code', given, 'gym_id', $3::text))).*
     from user_account as account, unnest($1::text[]) as given where account.id = $2`,
    [ids, like, DEMO_GYMS.ironTemple.id],
  );
  return ids;
}

/** The mails about a class that the services of the test have written to files. */
export async function mailsAbout(
  platform: TestPlatform,
  title: string,
): Promise<{ promotions: string[]; cancellations: string[]; moves: string[] }> {
  const about = (await mailsIn(platform.dataDir)).filter((text) => text.includes(title));
  return {
    promotions: about.filter((text) => text.includes('A place has become free')),
    cancellations: about.filter((text) => text.includes('does not take place')),
    moves: about.filter((text) => text.includes('has been moved')),
  };
}
