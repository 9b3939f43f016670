import type { ClientViewer, UserViewer } from '#server/auth/viewer.ts';
import { recordEvents, type NewEvent } from '#server/events/record-events.ts';
import { notFound, PlatformError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { notifying, notifyingValues } from '#server/observability/event-cause.ts';
import { isOpenAt, type Opening } from '#server/opening-hours.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { audit } from '../audit/audit.ts';
import { RUNNING_CHALLENGES, type Scores } from '../challenges/scores.ts';
import { ATTEND_BY_VISIT, attendByVisitValues } from '../classes/attendance.ts';
import { OPEN_GYM } from '../gyms/gym-locks.ts';
import { LOCKED_LOCATION, type LockedLocation } from '../locations/location-locks.ts';
import { OCCUPANCY_CHANNEL } from '../locations/occupancy-events.ts';
import { QrPolicy } from '../locations/location.entity.ts';
import { levelEvents } from '../locations/occupancy-level.ts';
import type { CheckInMethod } from './check-in.entity.ts';
import type { CheckInShape } from './check-ins.shapes.ts';
import { MEMBER_LOCK, memberLockKey } from './member-lock.ts';
import { closedEvents, presentVisit, VISIT, visitEvent, type VisitRow } from './visits.ts';

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

const NOTIFY_LOCATION = notifying('"locationId"::text');

/** A check-in of a member who may enter. Whether the location is open and has room is not checked yet. */
export interface Entry {
  userId: string;
  location: EntryLocation;
  /** Whether the code works for a minute only. */
  isShortLived: boolean;
  source: string | null;
  /** Whether staff let the member in even if the location is full, or outside of its opening hours. */
  override: boolean;
  viewer: Presenter;
}

/**
 * Opens a visit, or returns the member's open visit at the location with `duplicate: true`. An open visit at another
 * location ends. It takes five statements, because each of them needs what the previous one has locked or written.
 * @throws QR_POLICY, LOCATION_CLOSED, LOCATION_FULL; NOT_FOUND if the location was closed for good or deleted in the meantime
 */
export const enter = (unit: UnitOfWork, scores: Scores, entry: Entry): Promise<CheckInShape> =>
  unit.transaction(async () => {
    const { location, override } = entry;
    const locations = await lockForEntry(unit, entry);
    const entered = enteredAmong(locations, entry);
    const { capacity, maxStayMinutes } = entered;
    const now = new Date();
    const { people, current, ended } = await visitsFor(unit, entry, now);
    if (current?.locationId === location.id) {
      if (ended.length > 0) await record(unit, closedEvents(ended), locations, { [location.id]: people });
      return { ...presentVisit(current), duplicate: true };
    }
    const isClosed = !isOpenAt(entered, now);
    if (isClosed && !override)
      throw new PlatformError(
        'LOCATION_CLOSED',
        `${location.name} is closed now. Try again during its opening hours, or ask its staff to let you in.`,
      );
    if (people >= capacity && !override)
      throw new PlatformError(
        'LOCATION_FULL',
        `${location.name} is full: ${people} of ${capacity} people are inside. Try again when somebody has left.`,
      );
    const { visit, moved, challengeIds } = await write(unit, entry, {
      currentId: current?.id ?? null,
      now,
      expiresAt: new Date(now.getTime() + maxStayMinutes * 60_000),
      method: people >= capacity || isClosed ? 'OVERRIDE' : 'QR',
    });
    if (visit.method === 'OVERRIDE')
      await auditOverride(unit, entry, visit.id, { people, capacity, isClosed });
    await scores.countEach(challengeIds, entry.userId);
    const opened = presentVisit(visit);
    const events = [...closedEvents([...ended, ...moved]), visitEvent('check_in.opened', opened)];
    await record(unit, events, locations, { [location.id]: people + 1 });
    return opened;
  });

/**
 * Writes the given events of visits, and an event for each location whose occupancy level has changed.
 * @param people the number of people inside, by the id of the location, if it is known already
 */
const record = async (
  unit: UnitOfWork,
  events: readonly NewEvent[],
  locations: readonly LockedLocation[],
  people: Readonly<Record<string, number>>,
): Promise<void> =>
  recordEvents(unit, [...events, ...(await levelEvents(unit, locations, new Map(Object.entries(people))))]);

/**
 * Locks the member first, then the gym, then the location and that of the member's open visit, in the order of their ids. So
 * two scans of one member wait for each other, and so do two members at one location. The locations are locked by a second
 * statement, because only its snapshot has the visit of a scan that had the member's lock before.
 */
async function lockForEntry(unit: UnitOfWork, { userId, location }: Entry): Promise<EnteredLocation[]> {
  // The condition on the count sets the order of the locks: it contains no column of the gym, so PostgreSQL evaluates it once,
  // and thereby locks the member, before it reads and locks the gym.
  await unit.run(
    `with member as materialized (${MEMBER_LOCK}) ${OPEN_GYM} and (select count(*) from member) = 1 for key share`,
    [memberLockKey(userId), location.gymId],
  );
  return unit.run<EnteredLocation>(
    `select ${LOCKED_LOCATION}, ${CONDITIONS} from location
     where id = any(array[?::uuid, (select location_id from check_in where user_id = ? and checked_out_at is null)])
     order by id for no key update`,
    [location.id, userId],
  );
}

/** A locked location with the conditions of a check-in. */
interface EnteredLocation extends LockedLocation, Opening {
  qrPolicy: QrPolicy;
  isInUse: boolean;
}

/** The columns of an EnteredLocation that a LockedLocation does not have. */
const CONDITIONS = `timezone, opening_hours as "openingHours", opening_exceptions as "openingExceptions", qr_policy as "qrPolicy",
     closed_at is null as "isInUse"`;

/** The location of the check-in, among the locked ones. @throws NOT_FOUND, QR_POLICY */
function enteredAmong(
  locations: readonly EnteredLocation[],
  { location: { id, name }, isShortLived }: Entry,
): EnteredLocation {
  const entered = locations.find((one) => one.id === id);
  if (!entered?.isInUse) throw notFound('location', id);
  if (entered.qrPolicy === QrPolicy.SHORT_LIVED && !isShortLived)
    throw new PlatformError(
      'QR_POLICY',
      `${name} accepts only codes that work for a minute. Show the code of the app (GET /users/me/qr), not a stored one.`,
    );
  return entered;
}

/**
 * Ends the expired visits at the location and of the member; returns them, how many people are inside, and the member's
 * open visit. This is a statement after the locks, because only its snapshot has the visits of those who had the locks before.
 */
async function visitsFor(
  unit: UnitOfWork,
  { userId, location }: Entry,
  now: Date,
): Promise<{ people: number; current: VisitRow | undefined; ended: CheckInShape[] }> {
  const [found] = await unit.run<VisitRow & { people: number; ended: VisitRow[] }>(
    `with due as (
       select id as due_id from check_in
       where expires_at <= ? and (location_id = ? or user_id = ?) and checked_out_at is null order by id for no key update
     ), ended as (
       update check_in set checked_out_at = expires_at, check_out_kind = 'AUTOMATIC'
       from due where check_in.id = due.due_id returning ${VISIT}
     ), announced as (
       select ${NOTIFY_LOCATION} from (select distinct "locationId" from ended) as changed
     ), visitor as (
       select ${VISIT} from check_in where user_id = ? and checked_out_at is null and expires_at > ?
     )
     select (
       select count(*)::int from check_in where location_id = ? and checked_out_at is null and expires_at > ?
     ) as people, (select coalesce(jsonb_agg(ended.*), '[]') from ended) as ended, visitor.*
     from (select count(*) from announced) as notified left join visitor on true`,
    [now, location.id, userId, ...notifyingValues(OCCUPANCY_CHANNEL), userId, now, location.id, now],
  );
  const { people = 0, ended = [], ...visit } = found ?? {};
  return {
    people,
    ended: ended.map(presentVisit),
    current: (visit as Partial<VisitRow>).id ? (visit as VisitRow) : undefined,
  };
}

/**
 * Ends the current visit, stores the new one, notifies both locations, adds the job that marks attendance if the member has a
 * booking, and finds the challenges in which the visit counts.
 */
async function write(
  unit: UnitOfWork,
  { userId, location, source, viewer }: Entry,
  begun: { currentId: string | null; now: Date; expiresAt: Date; method: CheckInMethod },
): Promise<{ visit: VisitRow; moved: CheckInShape[]; challengeIds: string[] }> {
  const { currentId, now, expiresAt, method } = begun;
  // `(select count(*) from moved) >= 0` is always true, but makes PostgreSQL end the old visit before it stores the new one:
  // otherwise the order is not defined, and the unique index on open visits could refuse the new one.
  const [written] = await unit.run<VisitRow & { moved: VisitRow[]; challengeIds: string[] }>(
    `with moved as (
       update check_in set checked_out_at = ?, check_out_kind = 'MOVED'
       where id = ?::uuid and checked_out_at is null returning ${VISIT}
     ), visit as (
       insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, method, source, checked_in_by)
       select ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?::timestamptz, ?::timestamptz, ?, ?, ?::uuid
       where (select count(*) from moved) >= 0 returning ${VISIT}
     ), announced as (
       select ${NOTIFY_LOCATION}
       from (select "locationId" from moved union select "locationId" from visit) as changed
     ), attending as (${ATTEND_BY_VISIT}), running as (${RUNNING_CHALLENGES})
     select visit.*, (select coalesce(jsonb_agg(moved.*), '[]') from moved) as moved, (select coalesce(jsonb_agg(id order by id), '[]') from running) as "challengeIds"
     from (select count(*) from announced) as notified, (select count(*) from attending) as attended, visit`,
    // Each line has the values of one part of the statement.
    [now, currentId].concat(
      [uuidv7(), userId, location.gymId, location.id, now, expiresAt, method, source, idOf(viewer)],
      notifyingValues(OCCUPANCY_CHANNEL),
      attendByVisitValues(userId, now),
      [userId, location.gymId, now, now],
    ),
  );
  if (!written) throw new Error('the visit was not stored');
  const { challengeIds, moved, ...visit } = written;
  return { visit, moved: moved.map(presentVisit), challengeIds };
}

const auditOverride = (
  unit: UnitOfWork,
  { userId, location, viewer }: Entry,
  checkInId: string,
  { isClosed, ...inside }: { people: number; capacity: number; isClosed: boolean },
): Promise<void> =>
  audit(unit, {
    gymId: location.gymId,
    actorId: idOf(viewer),
    action: 'CHECK_IN_OVERRIDE',
    details: { checkInId, userId, locationId: location.id, ...inside, ...(isClosed && { isClosed }) },
  });
