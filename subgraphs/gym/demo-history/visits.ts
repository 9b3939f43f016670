import { addDays, dayOf, instantOf } from '#server/calendar.ts';
import { HISTORY_DAYS, TRAINING_HABITS, trainingTimes } from '#server/demo-history.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { AuditEvent } from '../audit/audit-event.entity.ts';
import { CheckIn, type CheckOutKind } from '../check-ins/check-in.entity.ts';
import { Denial } from '../check-ins/denial.entity.ts';
import type { Attendance } from './class-sessions.ts';
import { ANVIL, FORGE, HARBOUR, type HistoryContext, type HistoryGym } from './context.ts';

const MINUTE_MILLIS = 60_000;
/** The longest stay at the demo locations. */
const MAX_STAY_MINUTES = 90;

/** How busy a location is. */
interface Traffic {
  locationId: string;
  /** The average number of visits on a Monday, besides those to classes and to train. */
  perDay: number;
  /** How these visits are distributed: a weight for each hour from 0 to 23. */
  hours: readonly number[];
  /** How many people are inside at the first start, whatever its time. */
  insideNow: number;
}

const EVENING = [0, 0, 0, 0, 0, 1, 3, 4, 3, 2, 2, 2, 3, 2, 2, 3, 6, 9, 10, 8, 5, 2, 0, 0];
const NOON = [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 6, 9, 6, 2, 2, 3, 5, 6, 4, 2, 0, 0, 0];
const MORNING = [0, 0, 0, 0, 0, 4, 9, 10, 7, 5, 4, 3, 4, 3, 2, 2, 4, 6, 6, 4, 1, 0, 0, 0];

const TRAFFIC: Readonly<Record<string, readonly Traffic[]>> = {
  [DEMO_GYMS.ironTemple.id]: [
    { locationId: FORGE, perDay: 52, hours: EVENING, insideNow: 27 },
    { locationId: ANVIL, perDay: 24, hours: NOON, insideNow: 14 },
  ],
  [DEMO_GYMS.aquaClub.id]: [{ locationId: HARBOUR, perDay: 36, hours: MORNING, insideNow: 19 }],
};

/** The visits on each day of the week, from Monday on, as a share of those on a Monday. */
const WEEK = [1, 1, 0.95, 0.9, 0.75, 0.7, 0.5];

/** One visit of the history. */
export interface DemoVisit {
  userId: string;
  locationId: string;
  checkedInAt: Date;
  minutes: number;
}

/** Inserts the visits of the last four weeks (to classes, to train, and others) and those of the people inside. Returns all. */
export async function insertVisits(
  context: HistoryContext,
  gym: HistoryGym,
  attendances: readonly Attendance[],
): Promise<DemoVisit[]> {
  const { unit, now } = context;
  const known = [...attendances.map(visitOfClass(context)), ...visitsToTrain(context, gym)];
  const ended = [...known, ...otherVisits(context, gym, known)];
  const visits = [...ended, ...peopleInside(context, gym, ended)];
  const rows = visits.map((visit) => rowOf(context, gym, visit));
  await unit.em.insertMany(CheckIn, rows);
  await unit.em.insertMany(
    AuditEvent,
    rows
      .filter(({ method }) => method === 'OVERRIDE')
      .map(({ id, userId, locationId, checkedInAt }) => ({
        id: context.random.idAt(checkedInAt),
        gymId: gym.id,
        actorId: gym.staffId,
        action: 'CHECK_IN_OVERRIDE',
        details: { checkInId: id, userId, locationId },
        at: checkedInAt,
      })),
  );
  await unit.em.insertMany(Denial, denialsOf(context, gym));
  return visits.filter(({ checkedInAt }) => checkedInAt < now);
}

/** The visit of a member who attends a class: from some minutes before the class to some minutes after it. */
const visitOfClass =
  ({ random }: HistoryContext) =>
  ({ userId, locationId, startsAt, endsAt }: Attendance): DemoVisit => {
    const checkedInAt = new Date(startsAt.getTime() - random.int(4, 14) * MINUTE_MILLIS);
    const end = endsAt.getTime() + random.int(4, 15) * MINUTE_MILLIS;
    return { userId, locationId, checkedInAt, minutes: (end - checkedInAt.getTime()) / MINUTE_MILLIS };
  };

function visitsToTrain({ now, random }: HistoryContext, gym: HistoryGym): DemoVisit[] {
  const [main] = TRAFFIC[gym.id] ?? [];
  return TRAINING_HABITS.filter(({ gymId }) => gymId === gym.id).flatMap((one) =>
    trainingTimes(one, now).map(({ startedAt }) => ({
      userId: one.userId,
      locationId: main?.locationId ?? '',
      checkedInAt: new Date(startedAt.getTime() - random.int(5, 9) * MINUTE_MILLIS),
      minutes: one.minutes + random.int(10, 15),
    })),
  );
}

/** Visits at the usual hours of each location. Nobody comes twice on a day. */
function otherVisits(
  { now, random }: HistoryContext,
  gym: HistoryGym,
  known: readonly DemoVisit[],
): DemoVisit[] {
  const dayOfVisit = ({ checkedInAt }: DemoVisit) => dayOf(checkedInAt, gym.timezone);
  const busy = new Map<string, Set<string>>();
  for (const visit of known)
    busy.set(dayOfVisit(visit), (busy.get(dayOfVisit(visit)) ?? new Set()).add(visit.userId));
  const today = dayOf(now, gym.timezone);
  return Array.from({ length: HISTORY_DAYS + 1 }, (_unused, daysAgo) => addDays(today, -daysAgo)).flatMap(
    (day, daysAgo) => {
      const taken = busy.get(day) ?? new Set<string>();
      const people = [...gym.memberIds, ...(daysAgo > HISTORY_DAYS / 2 ? gym.formerIds : [])];
      const share = WEEK[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7] ?? 1;
      return (TRAFFIC[gym.id] ?? []).flatMap(({ locationId, perDay, hours }) => {
        const count = Math.round(perDay * share * (0.85 + random.number() * 0.3));
        const visitors = random.some(
          people.filter((id) => !taken.has(id)),
          count,
        );
        return visitors.flatMap((userId): DemoVisit[] => {
          taken.add(userId);
          const time = `${twoDigits(random.weighted(hours))}:${twoDigits(random.int(0, 59))}`;
          const visit = { userId, locationId, checkedInAt: instantOf(day, time, gym.timezone) };
          const minutes = random.int(35, MAX_STAY_MINUTES);
          return visit.checkedInAt.getTime() + minutes * MINUTE_MILLIS < now.getTime()
            ? [{ ...visit, minutes }]
            : [];
        });
      });
    },
  );
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Open visits of members who have not been there in the last hours, so that `insideNow` people are inside each location. */
function peopleInside(
  { now, random }: HistoryContext,
  gym: HistoryGym,
  known: readonly DemoVisit[],
): DemoVisit[] {
  const endOf = ({ checkedInAt, minutes }: DemoVisit) => checkedInAt.getTime() + minutes * MINUTE_MILLIS;
  const isRecent = (visit: DemoVisit) => endOf(visit) > now.getTime() - 2 * MAX_STAY_MINUTES * MINUTE_MILLIS;
  const recent = new Set(known.filter(isRecent).map(({ userId }) => userId));
  return (TRAFFIC[gym.id] ?? []).flatMap(({ locationId, insideNow }) => {
    const inside = known.filter((visit) => visit.locationId === locationId && endOf(visit) > now.getTime());
    const free = gym.memberIds.filter((id) => !recent.has(id));
    return random.some(free, Math.max(0, insideNow - inside.length)).map((userId) => {
      recent.add(userId);
      const agoMinutes = random.int(3, MAX_STAY_MINUTES - 25);
      return {
        userId,
        locationId,
        checkedInAt: new Date(now.getTime() - agoMinutes * MINUTE_MILLIS),
        minutes: MAX_STAY_MINUTES,
      };
    });
  });
}

function rowOf({ now, random }: HistoryContext, gym: HistoryGym, visit: DemoVisit) {
  const { userId, locationId, checkedInAt, minutes } = visit;
  const expiresAt = new Date(checkedInAt.getTime() + MAX_STAY_MINUTES * MINUTE_MILLIS);
  const left = new Date(Math.min(expiresAt.getTime(), checkedInAt.getTime() + minutes * MINUTE_MILLIS));
  const isOpen = left > now;
  const kind: CheckOutKind = random.isLikely(0.15) ? 'AUTOMATIC' : 'MANUAL';
  const isOverride = random.isLikely(0.004);
  const checkedOutAt = kind === 'AUTOMATIC' && expiresAt < now ? expiresAt : left;
  return {
    id: random.idAt(checkedInAt),
    userId,
    gymId: gym.id,
    locationId,
    checkedInAt,
    expiresAt,
    checkedOutAt: isOpen ? null : checkedOutAt,
    checkOutKind: isOpen ? null : kind,
    method: isOverride ? ('OVERRIDE' as const) : ('QR' as const),
    source: isOverride ? 'desk' : random.one(['kiosk', 'kiosk', 'app']),
    checkedInBy: isOverride ? gym.staffId : userId,
  };
}

/** Check-ins of former members that were refused, and one code that nobody has. */
function denialsOf({ now, random }: HistoryContext, gym: HistoryGym) {
  const reasons = [
    ...gym.formerIds.map((userId) => ({ userId, reason: 'MEMBERSHIP_INACTIVE' })),
    UNKNOWN_CODE,
  ];
  return reasons.map(({ userId, reason }, index) => {
    const deniedAt = new Date(now.getTime() - (index * 31 + 5) * 60 * MINUTE_MILLIS);
    return {
      id: random.idAt(deniedAt),
      gymId: gym.id,
      locationId: TRAFFIC[gym.id]?.[0]?.locationId ?? '',
      userId,
      reason,
      presentedBy: gym.staffId,
      deniedAt,
    };
  });
}

const UNKNOWN_CODE = { userId: null, reason: 'QR_UNKNOWN' };
