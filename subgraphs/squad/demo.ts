import { DEMO_MEMBERS, Seeded, TRAINING_HABITS, trainingTimes } from '#server/demo-history.ts';
import { DEMO_GYMS, demoId, demoPerson } from '#server/demo-ids.ts';
import { gyms, type Activity, type StoredGroup } from './gyms/gym.journal.ts';
import type { StoredWorkout } from './history/history.shapes.ts';
import type { Journals } from './storage/journal.ts';
import { users } from './users/user.journal.ts';

const maya = demoPerson('maya@iron.test').id;
const leo = demoPerson('leo@iron.test').id;
const zoe = demoPerson('zoe@aqua.test').id;

interface Plan {
  gymId: string;
  /** The users who train together, at the times of the first one. */
  partners: readonly [string, ...string[]];
  club: string;
  routines: readonly [number, ...number[]];
}

const ofGym = (gymId: string): string[] =>
  DEMO_MEMBERS.filter((one) => one.gymId === gymId && one.status === 'ACTIVE').map(({ id }) => id);

const PLANS: readonly Plan[] = [
  { gymId: DEMO_GYMS.ironTemple.id, partners: [maya, leo], club: 'Heavy Mondays', routines: [5, 1, 13] },
  { gymId: DEMO_GYMS.aquaClub.id, partners: [zoe], club: 'Dock swimmers', routines: [14, 12] },
];

/** Clubs, and the squads that trained in the four weeks before the first start: in the feed of the gym and in the histories. */
export async function demo(journals: Journals): Promise<void> {
  for (const [index, plan] of PLANS.entries()) await insertSquads(journals, plan, index);
}

async function insertSquads(journals: Journals, plan: Plan, index: number): Promise<void> {
  const { gymId, partners, club } = plan;
  const random = new Seeded(`squad ${gymId}`);
  const others = ofGym(gymId);
  const workouts = workoutsOf(plan, random, others);
  const [first] = workouts;
  if (!first) return;
  const group: StoredGroup = {
    id: demoId('601', index + 1),
    gymId,
    name: club,
    createdBy: partners[0],
    memberIds: [...partners, ...others.slice(0, 6)],
    createdAt: first.startedAt,
  };
  // The data is written only once, so that data of an account that was deleted since then does not return.
  const before = await journals.of(gyms).read(gymId);
  if (before.activities.length > 0 || Object.keys(before.groups).length > 0) return;
  for (const userId of new Set([...partners, ...others])) {
    const own = workouts.filter(({ participantIds }) => participantIds.includes(userId));
    await journals.of(users).change(userId, ({ history, farewell }) =>
      farewell || history.length > 0
        ? []
        : [
            // The club and the activities name them: an erasure of the account has to find the gym.
            ...(own.length > 0 || group.memberIds.includes(userId)
              ? [{ type: 'namedInGym' as const, gymId }]
              : []),
            ...own.map((workout) => ({ type: 'trained' as const, workout })),
          ],
    );
  }
  await journals
    .of(gyms)
    .change(gymId, ({ activities, groups }) =>
      activities.length > 0 || Object.keys(groups).length > 0
        ? []
        : [
            { type: 'founded', group },
            ...workouts.map((workout) => ({ type: 'activity' as const, activity: activityOf(workout) })),
          ],
    );
}

/** Every second training of the first partner, with the other partners and one or two more members; the earliest first. */
function workoutsOf(
  { partners, routines }: Plan,
  random: Seeded,
  others: readonly string[],
): StoredWorkout[] {
  const habit = TRAINING_HABITS.find(({ userId }) => userId === partners[0]);
  if (!habit) return [];
  return trainingTimes(habit, new Date())
    .filter((_time, index) => index % 2 === 0)
    .map(({ startedAt, endedAt }) => ({
      squadId: random.idAt(startedAt),
      routineId: demoId('401', random.one(routines)),
      routineVersion: 1,
      startedAt: startedAt.toISOString(),
      endedAt: endedAt.toISOString(),
      minutes: habit.minutes,
      sets: random.int(12, 20),
      trainingId: null,
      participantIds: [...partners, ...random.some(others, random.int(1, 2))],
      revision: 1,
    }));
}

const activityOf = ({ squadId, endedAt, participantIds, minutes, sets }: StoredWorkout): Activity => ({
  id: squadId,
  kind: 'SQUAD_FINISHED',
  at: endedAt,
  userIds: participantIds,
  text: `${participantIds.length} trained together for ${minutes} min, ${sets * participantIds.length} sets.`,
  squadId,
  groupId: null,
});
