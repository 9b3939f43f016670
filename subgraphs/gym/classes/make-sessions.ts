import { z } from 'zod';
import { DAY_MILLIS } from '#server/durations.ts';
import { uuidv7 } from '#server/ids.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { preventWithdrawalOfGym } from '../gyms/gym-locks.ts';
import type { FollowingChange } from './class.entity.ts';
import { instantOf, shifted } from './local-time.ts';
import { localStarts } from './recurrence.ts';
import { lockSessions, saveSessions } from './session-writes.ts';

const WEEK_MILLIS = 7 * DAY_MILLIS;
/** The number of classes that the job selects with one statement. */
const CLASSES_AT_ONCE = 100;

/** The fields of a class that determine its sessions. */
export interface ClassPlan {
  id: string;
  gymId: string;
  locationId: string;
  startsAt: string | null;
  rrule: string | null;
  durationMinutes: number;
  capacity: number;
  instructor: string | null;
  following: readonly FollowingChange[];
}

/** Columns of `ClassPlan`. */
export const PLAN = `gym_class.id, gym_class.gym_id as "gymId", location_id as "locationId", starts_at as "startsAt", rrule,
  duration_minutes as "durationMinutes", gym_class.capacity, instructor, following`;

/** A session as its class and the changes in `following` determine it. */
export interface PlannedSession {
  occurrence: string;
  startsAt: Date;
  endsAt: Date;
  capacity: number;
  instructor: string | null;
}

/** The session of an occurrence, which is a local start by the rule; undefined if a change in `following` cancels it. */
export function plannedSession(
  plan: ClassPlan,
  occurrence: string,
  zone: string,
): PlannedSession | undefined {
  let { durationMinutes, capacity, instructor } = plan;
  let shiftMinutes = 0;
  for (const change of plan.following) {
    if (change.from > occurrence) continue;
    if (change.cancelled) return undefined;
    shiftMinutes += change.shiftMinutes ?? 0;
    durationMinutes = change.durationMinutes ?? durationMinutes;
    capacity = change.capacity ?? capacity;
    if (change.instructor !== undefined) instructor = change.instructor;
  }
  const startsAt = instantOf(shifted(occurrence, shiftMinutes), zone);
  const endsAt = new Date(startsAt.getTime() + durationMinutes * 60_000);
  return { occurrence, startsAt, endsAt, capacity, instructor };
}

/**
 * Keeps the location of a class from being changed or closed until the transaction ends. Call it before the class is locked,
 * because a change of a location locks the location first and its classes afterwards. The insertion of a session locks the
 * location, too, by its foreign key.
 */
export async function lockLocationOf(unit: UnitOfWork, classId: string): Promise<void> {
  await unit.run(
    'select 1 from location where id = (select location_id from gym_class where id = ?) for key share',
    [classId],
  );
}

/** The time until which sessions are made. */
export const horizonOf = (weeksAhead: number): Date => new Date(Date.now() + weeksAhead * WEEK_MILLIS);

/**
 * Makes the sessions of a class from now until some weeks ahead, in the open transaction; existing sessions stay as they
 * are. The transaction has locked the gym, and either has locked the class or creates it.
 */
export async function makeSessions(unit: UnitOfWork, classId: string, weeksAhead: number): Promise<void> {
  const [plan] = await unit.run<ClassPlan & { timezone: string }>(
    `select ${PLAN}, timezone
     from gym_class join location on location.id = location_id
     where gym_class.id = ? and active and starts_at is not null`,
    [classId],
  );
  if (!plan?.startsAt) return;
  const until = horizonOf(weeksAhead);
  const { startsAt, rrule, timezone } = plan;
  const starts = localStarts({ startsAt, rrule }, timezone, new Date(), until);
  await insertSessions(
    unit,
    plan,
    starts.flatMap((occurrence) => plannedSession(plan, occurrence, timezone) ?? []),
  );
  await unit.run('update gym_class set made_until = ? where id = ?', [until, classId]);
}

/** Stores sessions, and their events; an occurrence that has a session already is left out. @returns the ids of the new sessions */
export async function insertSessions(
  unit: UnitOfWork,
  { id, gymId, locationId }: Pick<ClassPlan, 'id' | 'gymId' | 'locationId'>,
  sessions: readonly (Omit<PlannedSession, 'occurrence'> & { occurrence: string | null })[],
): Promise<string[]> {
  const made = await unit.run<{ id: string }>(
    `insert into class_session (id, class_id, gym_id, location_id, occurrence, starts_at, ends_at, capacity, instructor,
       status, booked, waiting, last_number, edited, version, changed_at)
     select given.id, ?, ?, ?, given.occurrence, given.starts_at, given.ends_at, given.capacity, given.instructor,
       'SCHEDULED', 0, 0, 0, false, 1, clock_timestamp()
     from unnest(?::uuid[], ?::text[], ?::timestamptz[], ?::timestamptz[], ?::int[], ?::text[])
       as given (id, occurrence, starts_at, ends_at, capacity, instructor)
     on conflict (class_id, occurrence) do nothing returning id`,
    [
      id,
      gymId,
      locationId,
      sessions.map(() => uuidv7()),
      sessions.map(({ occurrence }) => occurrence),
      sessions.map(({ startsAt }) => startsAt),
      sessions.map(({ endsAt }) => endsAt),
      sessions.map(({ capacity }) => capacity),
      sessions.map(({ instructor }) => instructor),
    ],
  );
  const ids = made.map((row) => row.id);
  if (ids.length > 0) await saveSessions(unit, await lockSessions(unit, 'id = any(?::uuid[])', [ids]), []);
  return ids;
}

/**
 * Every hour: makes the sessions that now begin within `classWeeksAhead` weeks. A class that was handled is due again a day
 * later.
 */
export const makeClassSessions = jobOf<{ classWeeksAhead: number }>()({
  name: 'make_class_sessions',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'hour',
  async run(_payload, { unitOf, resources, signal }) {
    const { classWeeksAhead } = resources;
    const due = new Date(horizonOf(classWeeksAhead).getTime() - DAY_MILLIS);
    let handled = CLASSES_AT_ONCE;
    while (handled === CLASSES_AT_ONCE && !signal.aborted) {
      const classes = await unitOf().read<{ id: string; gymId: string }>(
        `select id, gym_id as "gymId" from gym_class where active and starts_at is not null and made_until < ?
         order by made_until limit ${CLASSES_AT_ONCE}`,
        [due],
      );
      for (const { id, gymId } of classes) {
        const unit = unitOf();
        await unit.transaction(async () => {
          if (!(await preventWithdrawalOfGym(unit, gymId))) return;
          await lockLocationOf(unit, id);
          await unit.run('select 1 from gym_class where id = ? for no key update', [id]);
          await makeSessions(unit, id, classWeeksAhead);
        });
      }
      handled = classes.length;
    }
  },
});
