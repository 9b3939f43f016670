import { addDays, dayOf } from '#server/calendar.ts';
import { HISTORY_DAYS, TRAINING_HABITS } from '#server/demo-history.ts';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import { Booking } from '../classes/booking.entity.ts';
import { GymClass } from '../classes/class.entity.ts';
import { instantOf } from '../classes/local-time.ts';
import { localStarts } from '../classes/recurrence.ts';
import { ClassSession } from '../classes/session.entity.ts';
import { bookingsOf } from './bookings.ts';
import { ANVIL, FORGE, HARBOUR, type HistoryContext, type HistoryGym } from './context.ts';

const WEEKS_AHEAD = 8;
const WEEK_MILLIS = 7 * DAY_MILLIS;
/** How many days ahead sessions are booked. */
const BOOKED_DAYS = 14;

/** A member who was, or is, in a session. */
export interface Attendance {
  userId: string;
  locationId: string;
  startsAt: Date;
  endsAt: Date;
}

export interface DemoClass {
  locationId: string;
  title: string;
  description: string;
  instructor: string;
  capacity: number;
  minutes: number;
  time: string;
  rrule: string;
  /** How much of the capacity is booked on average; above 1, there is a waiting list. */
  demand: number;
  /** A demo user who has booked the next session. */
  booker?: string;
}

const [WEEKDAYS, DAILY] = ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'FREQ=DAILY'];
const maya = demoPerson('maya@iron.test').id;
const leo = demoPerson('leo@iron.test').id;
const zoe = demoPerson('zoe@aqua.test').id;

const CLASSES: Readonly<Record<string, readonly DemoClass[]>> = {
  [DEMO_GYMS.ironTemple.id]: [
    {
      locationId: FORGE,
      title: 'Indoor cycling',
      instructor: 'Ben',
      capacity: 10,
      minutes: 45,
      time: '17:30',
      rrule: DAILY,
      demand: 0.6,
      booker: maya,
      description: 'Hills and sprints by music. Bring a towel.',
    },
    {
      locationId: FORGE,
      title: 'Early strength',
      instructor: 'Ada',
      capacity: 8,
      minutes: 60,
      time: '06:30',
      rrule: 'FREQ=WEEKLY;BYDAY=TU,TH',
      demand: 0.6,
      description: 'Squat, press and row before work, in small groups.',
    },
    {
      locationId: ANVIL,
      title: 'Olympic lifting',
      instructor: 'Marek',
      capacity: 4,
      minutes: 60,
      time: '19:00',
      rrule: 'FREQ=WEEKLY;BYDAY=MO,WE,SA',
      demand: 1.4,
      booker: leo,
      description: 'Snatch, and clean and jerk, from the first position on.',
    },
    {
      locationId: ANVIL,
      title: 'Mobility at lunch',
      instructor: 'Lea',
      capacity: 8,
      minutes: 30,
      time: '12:15',
      rrule: WEEKDAYS,
      demand: 0.35,
      description: 'Half an hour for hips, back and shoulders.',
    },
  ],
  [DEMO_GYMS.aquaClub.id]: [
    {
      locationId: HARBOUR,
      title: 'Aqua fit',
      instructor: 'June',
      capacity: 12,
      minutes: 45,
      time: '09:00',
      rrule: DAILY,
      demand: 0.35,
      booker: zoe,
      description: 'Easy on the joints, hard on everything else.',
    },
    {
      locationId: HARBOUR,
      title: 'Swim technique',
      instructor: 'Aki',
      capacity: 4,
      minutes: 60,
      time: '18:30',
      rrule: 'FREQ=WEEKLY;BYDAY=TU,TH,SU',
      demand: 1.3,
      description: 'Freestyle with video of every swimmer.',
    },
    {
      locationId: HARBOUR,
      title: 'Early lanes',
      instructor: 'Coach Ray',
      capacity: 16,
      minutes: 60,
      time: '06:15',
      rrule: WEEKDAYS,
      demand: 0.25,
      description: 'Three lanes by pace, with a plan on the board.',
    },
  ],
};

const USERS_WHO_TRAIN: ReadonlySet<string> = new Set(TRAINING_HABITS.map(({ userId }) => userId));

/** Inserts classes with their sessions and bookings. Returns who has attended, or attends, the sessions that have begun. */
export async function insertClassHistory(context: HistoryContext, gym: HistoryGym): Promise<Attendance[]> {
  const { unit, now, random } = context;
  /** The members that are booked on each local day, because nobody attends two classes a day. */
  const busy = new Map<string, Set<string>>();
  const rows = (CLASSES[gym.id] ?? []).map((plan) => classRows(context, gym, plan));
  await unit.em.insertMany(
    GymClass,
    rows.map(({ gymClass }) => gymClass),
  );
  const planned = rows.flatMap(({ plan, sessions }) => sessions.map((session) => ({ plan, session })));
  const filled = planned.map(({ plan, session }) => {
    const isBooked = session.startsAt.getTime() < now.getTime() + BOOKED_DAYS * DAY_MILLIS;
    const day = dayOf(session.startsAt, gym.timezone);
    const taken = busy.get(day) ?? new Set();
    busy.set(day, taken);
    // Those who train at a fixed time come for that only.
    const free = gym.memberIds.filter((id) => !taken.has(id) && !USERS_WHO_TRAIN.has(id));
    // The next session is the first that users of the demo see, so one more member has booked it.
    const isNext = session.id === nextOf(planned, plan, now)?.id;
    const people = Math.round(plan.capacity * plan.demand * (0.8 + random.number() * 0.4)) + (isNext ? 1 : 0);
    const users = isBooked ? random.some(free, people) : [];
    for (const userId of users) taken.add(userId);
    const booked = bookingsOf(context, session, isNext && plan.booker ? [...users, plan.booker] : users);
    return { session: { ...session, ...booked.counts }, bookings: booked.rows };
  });
  await unit.em.insertMany(
    ClassSession,
    filled.map(({ session }) => session),
  );
  await unit.em.insertMany(
    Booking,
    filled.flatMap(({ bookings }) => bookings),
  );
  return filled.flatMap(({ session: { locationId, startsAt, endsAt }, bookings }) =>
    bookings
      .filter(({ status }) => status === 'ATTENDED')
      .map(({ userId }) => ({ userId, locationId, startsAt, endsAt })),
  );
}

type PlannedSession = ReturnType<typeof classRows>['sessions'][number];

const nextOf = (
  planned: readonly { plan: DemoClass; session: PlannedSession }[],
  plan: DemoClass,
  now: Date,
): PlannedSession | undefined =>
  planned.find(
    // Not one that begins in a moment: it could no longer be cancelled.
    (one) => one.plan === plan && one.session.startsAt.getTime() > now.getTime() + 3 * HOUR_MILLIS,
  )?.session;

/** The class, and its sessions from the beginning of the history on. */
function classRows({ now, random }: HistoryContext, { id: gymId, timezone }: HistoryGym, plan: DemoClass) {
  const { locationId, title, description, instructor, capacity, minutes, time, rrule } = plan;
  const startsAt = `${addDays(dayOf(now, timezone), -HISTORY_DAYS)}T${time}`;
  const since = instantOf(startsAt, timezone);
  const madeUntil = new Date(now.getTime() + WEEKS_AHEAD * WEEK_MILLIS);
  const id = random.idAt(since);
  const common = { gymId, locationId, capacity, instructor };
  const starts = localStarts({ startsAt, rrule }, timezone, new Date(since.getTime() - 1), madeUntil);
  return {
    plan,
    gymClass: {
      ...common,
      id,
      title,
      description,
      rrule,
      startsAt,
      madeUntil,
      durationMinutes: minutes,
      following: [],
      createdAt: new Date(since.getTime() - WEEK_MILLIS),
    },
    sessions: starts.map((occurrence) => {
      const begin = instantOf(occurrence, timezone);
      return {
        ...common,
        id: random.idAt(since),
        classId: id,
        occurrence,
        startsAt: begin,
        endsAt: new Date(begin.getTime() + minutes * 60_000),
        changedAt: now,
      };
    }),
  };
}
