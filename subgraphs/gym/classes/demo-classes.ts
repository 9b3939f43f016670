import { demoId, DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Booking } from './booking.entity.ts';
import { GymClass } from './class.entity.ts';
import { addFirstVisitClass } from './first-visit-class.ts';
import { instantOf } from './local-time.ts';
import { horizonOf } from './make-sessions.ts';
import { localStarts } from './recurrence.ts';
import { ClassSession } from './session.entity.ts';

const ZONE = 'Europe/Berlin';
const FORGE = demoId('301', 1);
const YOGA = demoId('309', 1);
const WEEKS = 8;
const MINUTES = 60;
const keepExisting = { onConflictAction: 'ignore' } as const;

/** Inserts a class with its sessions of the next weeks, a booking of Maya, and the class "First visit" of each location. */
export async function insertDemoClasses(
  unit: UnitOfWork,
  locationIds: readonly string[],
  now: Date,
): Promise<void> {
  for (const id of locationIds) await addFirstVisitClass(unit, id);
  const gymId = DEMO_GYMS.ironTemple.id;
  const recurrence = { startsAt: `${now.toISOString().slice(0, 10)}T18:30`, rrule: 'FREQ=WEEKLY;BYDAY=MO' };
  const until = horizonOf(WEEKS);
  const plan = { capacity: 12, instructor: 'Ada' };
  await unit.em.upsertMany(
    GymClass,
    [
      {
        ...plan,
        ...recurrence,
        id: YOGA,
        gymId,
        locationId: FORGE,
        title: 'Yoga for lifters',
        description: 'Hips, shoulders and back. Mats are there.',
        durationMinutes: MINUTES,
        following: [],
        madeUntil: until,
        createdAt: now,
      },
    ],
    keepExisting,
  );
  const sessions = localStarts(recurrence, ZONE, now, until).map((occurrence, index) => {
    const startsAt = instantOf(occurrence, ZONE);
    return {
      ...plan,
      id: demoId('310', index + 1),
      classId: YOGA,
      gymId,
      locationId: FORGE,
      occurrence,
      startsAt,
      endsAt: new Date(startsAt.getTime() + MINUTES * 60_000),
      booked: index === 0 ? 1 : 0,
      lastNumber: index === 0 ? 1 : 0,
      changedAt: now,
    };
  });
  await unit.em.upsertMany(ClassSession, sessions, keepExisting);
  const [first] = sessions;
  if (!first) return;
  await unit.em.upsertMany(
    Booking,
    [
      {
        id: demoId('311', 1),
        sessionId: first.id,
        gymId,
        userId: demoPerson('maya@iron.test').id,
        status: 'BOOKED' as const,
        hasPlace: true,
        number: 1,
        startsAt: first.startsAt,
        bookedAt: now,
      },
    ],
    keepExisting,
  );
}
