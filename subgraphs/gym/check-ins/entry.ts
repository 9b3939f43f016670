import type { ClientViewer, UserViewer } from '#server/auth/viewer.ts';
import { notFound, PlatformError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { audit } from '../audit/audit.ts';
import { RUNNING_CHALLENGES, type Scores } from '../challenges/scores.ts';
import { OPEN_GYM } from '../gyms/gym-locks.ts';
import { OCCUPANCY_CHANNEL } from '../locations/occupancy-events.ts';
import type { CheckInMethod } from './check-in.entity.ts';
import type { CheckInShape } from './check-ins.shapes.ts';
import { MEMBER_LOCK, memberLockKey } from './member-lock.ts';
import { presentRow, VISIT, type VisitRow } from './visit-row.ts';

/** The caller who presents a code: the member, staff, or a machine client such as a turnstile. */
export type Presenter = UserViewer | ClientViewer;

/** The id of the caller in visits and denials. */
export const idOf = (viewer: Presenter): string => (viewer.kind === 'user' ? viewer.userId : viewer.clientId);

/** The parts of a location that a check-in needs. */
export interface EntryLocation {
  id: string;
  gymId: string;
  name: string;
}

/** A check-in that the rules allow, if the location has room. */
export interface Entry {
  userId: string;
  location: EntryLocation;
  source: string | null;
  /** Whether staff let the member in even if the location is full. */
  override: boolean;
  viewer: Presenter;
}

interface Limits {
  capacity: number;
  maxStayMinutes: number;
}

/**
 * Opens a visit, or returns the member's open visit at the location with `duplicate: true`. An open visit at another
 * location ends. It takes three statements, because each of them needs what the previous one has locked or written.
 * @throws LOCATION_FULL, NOT_FOUND if the location was deleted in the meantime
 */
export const enter = (unit: UnitOfWork, scores: Scores, entry: Entry): Promise<CheckInShape> =>
  unit.transaction(async () => {
    const { location, override } = entry;
    const { capacity, maxStayMinutes } = await lockForEntry(unit, entry);
    const now = new Date();
    const { people, current } = await visitsFor(unit, entry, now);
    if (current?.locationId === location.id) return { ...presentRow(current), duplicate: true };
    if (people >= capacity && !override)
      throw new PlatformError(
        'LOCATION_FULL',
        `${location.name} is full: ${people} of ${capacity} people are inside. Try again when somebody has left.`,
      );
    const { visit, challengeIds } = await write(unit, entry, {
      currentId: current?.id ?? null,
      now,
      expiresAt: new Date(now.getTime() + maxStayMinutes * 60_000),
      method: people >= capacity ? 'OVERRIDE' : 'QR',
    });
    if (visit.method === 'OVERRIDE') await auditOverride(unit, entry, visit.id, { people, capacity });
    await scores.countEach(challengeIds, entry.userId);
    return presentRow(visit);
  });

/**
 * Locks the member first, then the gym, then the location. So two scans of one member wait for each other, and so do two
 * members at one location. PostgreSQL evaluates each condition on a count before it reads the rows, which sets the order.
 */
async function lockForEntry(unit: UnitOfWork, { userId, location }: Entry): Promise<Limits> {
  const [limits] = await unit.run<Limits>(
    `with member as materialized (${MEMBER_LOCK}),
          open_gym as materialized (${OPEN_GYM} and (select count(*) from member) = 1 for key share)
     select capacity, max_stay_minutes as "maxStayMinutes" from location
     where id = ? and (select count(*) from open_gym) >= 0 for no key update`,
    [memberLockKey(userId), location.gymId, location.id],
  );
  if (!limits) throw notFound('location', location.id);
  return limits;
}

/**
 * Ends the expired visits at the location and of the member; returns how many people are inside, and the member's open
 * visit. A statement after the locks, because only its snapshot has the visits of those who had the locks before.
 */
async function visitsFor(
  unit: UnitOfWork,
  { userId, location }: Entry,
  now: Date,
): Promise<{ people: number; current: VisitRow | undefined }> {
  const [found] = await unit.run<VisitRow & { people: number }>(
    `with due as (
       select id from check_in
       where expires_at <= ? and (location_id = ? or user_id = ?) and checked_out_at is null order by id for no key update
     ), ended as (
       update check_in set checked_out_at = expires_at, check_out_kind = 'AUTOMATIC'
       from due where check_in.id = due.id returning location_id
     ), announced as (
       select pg_notify(?, location_id::text) from (select distinct location_id from ended) as changed
     ), visitor as (
       select ${VISIT} from check_in where user_id = ? and checked_out_at is null and expires_at > ?
     )
     select (
       select count(*)::int from check_in where location_id = ? and checked_out_at is null and expires_at > ?
     ) as people, visitor.*
     from (select count(*) from announced) as notified left join visitor on true`,
    [now, location.id, userId, OCCUPANCY_CHANNEL, userId, now, location.id, now],
  );
  const { people = 0, ...visit } = found ?? {};
  return { people, current: (visit as Partial<VisitRow>).id ? (visit as VisitRow) : undefined };
}

/** Ends the current visit, stores the new one, notifies both locations, and finds the challenges in which it counts. */
async function write(
  unit: UnitOfWork,
  { userId, location, source, viewer }: Entry,
  begun: { currentId: string | null; now: Date; expiresAt: Date; method: CheckInMethod },
): Promise<{ visit: VisitRow; challengeIds: string[] }> {
  const { currentId, now, expiresAt, method } = begun;
  const [written] = await unit.run<VisitRow & { challengeIds: string[] }>(
    `with moved as (
       update check_in set checked_out_at = ?, check_out_kind = 'MOVED'
       where id = ?::uuid and checked_out_at is null returning location_id
     ), visit as (
       insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, method, source, checked_in_by)
       select ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?::timestamptz, ?::timestamptz, ?, ?, ?::uuid
       where (select count(*) from moved) >= 0 returning ${VISIT}
     ), announced as (
       select pg_notify(?, location_id::text)
       from (select location_id from moved union select "locationId" from visit) as changed
     ), running as (${RUNNING_CHALLENGES})
     select visit.*, (select coalesce(jsonb_agg(id order by id), '[]') from running) as "challengeIds"
     from (select count(*) from announced) as notified, visit`,
    // One line for each part of the statement.
    [now, currentId].concat(
      [uuidv7(), userId, location.gymId, location.id, now, expiresAt, method, source, idOf(viewer)],
      OCCUPANCY_CHANNEL,
      [userId, location.gymId, now, now],
    ),
  );
  if (!written) throw new Error('the visit was not stored');
  const { challengeIds, ...visit } = written;
  return { visit, challengeIds };
}

const auditOverride = (
  unit: UnitOfWork,
  { userId, location, viewer }: Entry,
  checkInId: string,
  inside: { people: number; capacity: number },
): Promise<void> =>
  audit(unit, {
    gymId: location.gymId,
    actorId: idOf(viewer),
    action: 'CHECK_IN_OVERRIDE',
    details: { checkInId, userId, ...inside },
  });
