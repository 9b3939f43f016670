import { conflict, invalid, notFound, PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { FollowingChange } from './class.entity.ts';
import { moveBookings, movedNotices, setCapacity } from './follow-class.ts';
import { instantOf, localTimeOf, minutesBetween, shifted } from './local-time.ts';
import { cancelSessions, lockSessions, saveSessions, type LockedSession } from './session-writes.ts';

/** A change of sessions. An undefined field is unchanged. */
export interface SessionChangeInput {
  startsAt: Date | undefined;
  durationMinutes: number | undefined;
  capacity: number | undefined;
  instructor: string | null | undefined;
  isCancelled: boolean;
}

interface SessionsToChange {
  id: string;
  classId: string;
  /** The zone of the location. */
  zone: string;
  change: SessionChangeInput;
  /** Whether all later sessions of the class change, too, including those that are not made yet. */
  follows: boolean;
  /** Checks the version of the session. @throws VERSION_CONFLICT */
  decide(session: LockedSession): void;
}

interface StoredClass {
  isFirstVisit: boolean;
  hasRule: boolean;
  following: FollowingChange[];
}

/**
 * Changes one session, or also those that follow, in the open transaction, which has locked the gym.
 * @throws SESSION_CLOSED; CONFLICT for another start of a first visit, or for fewer places than are booked; VALIDATION_FAILED if
 * other sessions are to follow one that follows no rule; NOT_FOUND; what `decide` throws
 */
export async function changeSessions(unit: UnitOfWork, request: SessionsToChange): Promise<void> {
  const { id, classId, zone, change, follows } = request;
  const [ofClass] = await unit.run<StoredClass>(
    `select is_first_visit as "isFirstVisit", starts_at is not null as "hasRule", following
     from gym_class where id = ? for no key update`,
    [classId],
  );
  const locked = follows
    ? await lockSessions(
        unit,
        // The occurrence decides which sessions are later, not the start: staff may have moved a single session past others.
        `class_id = ? and (id = ? or (status = 'SCHEDULED' and ends_at > now()
           and occurrence > (select occurrence from class_session where id = ?)))`,
        [classId, id, id],
      )
    : await lockSessions(unit, 'id = ?', [id]);
  const first = locked.find((session) => session.id === id);
  if (!ofClass || !first) throw notFound('class session', id);
  request.decide(first);
  if (first.status !== 'SCHEDULED' || first.endsAt.getTime() <= Date.now())
    throw new PlatformError(
      'SESSION_CLOSED',
      'This session is over or cancelled; it can no longer be changed.',
    );
  if (change.startsAt && first.startsAt.getTime() <= Date.now())
    throw new PlatformError('SESSION_CLOSED', 'This session has begun; it can no longer be moved.');
  // The wizard shows a first visit at the time that the member chose, and finds its session by that time.
  if (ofClass.isFirstVisit && change.startsAt && change.startsAt.getTime() !== first.startsAt.getTime())
    throw conflict(
      `First visits keep the time that their members have chosen: expected ${first.startsAt.toISOString()}, got ${change.startsAt.toISOString()}. Cancel this session, and book its members into another one.`,
    );
  const shiftMinutes = change.startsAt
    ? minutesBetween(localTimeOf(first.startsAt, zone), localTimeOf(change.startsAt, zone))
    : 0;
  const { startsAt, isCancelled, ...others } = change;
  const changesNothing =
    !startsAt && !isCancelled && Object.values(others).every((value) => value === undefined);
  if (follows) await rememberForLater(unit, classId, ofClass, followingChange(first, change, shiftMinutes));
  if (change.isCancelled) {
    if (!follows) for (const session of locked) session.edited = true;
    await cancelSessions(unit, locked);
    return;
  }
  for (const session of locked) {
    apply(
      session,
      session === first ? (startsAt ?? session.startsAt) : shiftedStart(session, shiftMinutes, zone),
      change,
    );
    // Changes of the class no longer apply to an edited session.
    if (!follows && !changesNothing) session.edited = true;
  }
  const moved = await moveBookings(unit, locked);
  await saveSessions(unit, locked, moved, movedNotices(moved));
}

function apply(session: LockedSession, startsAt: Date, change: SessionChangeInput): void {
  const millis =
    change.durationMinutes === undefined
      ? session.endsAt.getTime() - session.startsAt.getTime()
      : change.durationMinutes * 60_000;
  // Before the start changes, because a refusal names the stored start.
  if (change.capacity !== undefined) setCapacity(session, change.capacity);
  session.startsAt = startsAt;
  session.endsAt = new Date(startsAt.getTime() + millis);
  if (change.instructor !== undefined) session.instructor = change.instructor;
  session.version += 1;
}

/** The start of a session that follows another one. It stays if the session has begun, or would begin in the past. */
function shiftedStart({ startsAt }: LockedSession, shiftMinutes: number, zone: string): Date {
  if (shiftMinutes === 0) return startsAt;
  const next = instantOf(shifted(localTimeOf(startsAt, zone), shiftMinutes), zone);
  return Math.min(startsAt.getTime(), next.getTime()) <= Date.now() ? startsAt : next;
}

/** The change as the class stores it. @throws VALIDATION_FAILED if the session follows no rule */
function followingChange(
  { occurrence }: LockedSession,
  change: SessionChangeInput,
  shiftMinutes: number,
): FollowingChange {
  if (!occurrence) throw onlyThis();
  return {
    from: occurrence,
    ...(shiftMinutes !== 0 && { shiftMinutes }),
    ...(change.durationMinutes !== undefined && { durationMinutes: change.durationMinutes }),
    ...(change.capacity !== undefined && { capacity: change.capacity }),
    ...(change.instructor !== undefined && { instructor: change.instructor }),
    ...(change.isCancelled && { cancelled: true }),
  };
}

/** Stores the change with the class, for the sessions that the job makes later. */
async function rememberForLater(
  unit: UnitOfWork,
  classId: string,
  { hasRule, following }: StoredClass,
  change: FollowingChange,
): Promise<void> {
  if (!hasRule) throw onlyThis();
  if (isEmpty(change)) return;
  await unit.run('update gym_class set following = ?::jsonb, version = version + 1 where id = ?', [
    JSON.stringify([...following, change].reduce<FollowingChange[]>(withChange, [])),
    classId,
  ]);
}

/**
 * The changes in the order of their first occurrences, one for each. The new change takes the fields that it sets from those
 * that apply to its occurrences only, so that the list does not grow with each change of the same sessions.
 */
function withChange(changes: readonly FollowingChange[], change: FollowingChange): FollowingChange[] {
  const { from, durationMinutes, capacity, instructor } = change;
  const same = changes.find((one) => one.from === from);
  const shiftMinutes = (same?.shiftMinutes ?? 0) + (change.shiftMinutes ?? 0);
  const { shiftMinutes: _before, ...merged } = { ...same, ...change };
  const later = changes
    .filter((one) => one.from > from)
    .map((one) => {
      const left = { ...one };
      if (durationMinutes !== undefined) delete left.durationMinutes;
      if (capacity !== undefined) delete left.capacity;
      if (instructor !== undefined) delete left.instructor;
      return left;
    });
  const own = { ...merged, ...(shiftMinutes !== 0 && { shiftMinutes }) };
  return [...changes.filter((one) => one.from < from), own, ...later].filter((one) => !isEmpty(one));
}

/** Whether the change has no field but its first occurrence. */
const isEmpty = (change: FollowingChange): boolean => Object.keys(change).length === 1;

const onlyThis = () => invalid('scope', 'expected THIS: the session follows no rule, so no others follow it');
