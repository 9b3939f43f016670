import { randomUUID } from 'node:crypto';
import { addDays, dayOf, instantOf } from '#server/calendar.ts';
import { TRAINING_HABITS } from '#server/demo-history.ts';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { Challenge, Participant, type ChallengeMetric } from '../challenges/challenge.entity.ts';
import { countSoon } from '../challenges/score-marks.ts';
import type { HistoryContext, HistoryGym } from './context.ts';
import type { DemoVisit } from './visits.ts';

interface Plan {
  title: string;
  metric: ChallengeMetric;
  goal: number;
  /** Days from today, in the zone of the gym. */
  from: number;
  to: number;
}

/** In each gym, some challenges have ended, some run and one is coming, whatever the day of the month. */
const PLANS: Readonly<Record<string, readonly Plan[]>> = {
  [DEMO_GYMS.ironTemple.id]: [
    { title: 'Eight visits in three weeks', metric: 'CHECK_INS', goal: 8, from: -26, to: -5 },
    { title: '50 km on the rower', metric: 'CUSTOM', goal: 50_000, from: -24, to: -3 },
    { title: 'Four strong weeks', metric: 'CHECK_INS', goal: 12, from: -21, to: 7 },
    { title: 'Ten trainings', metric: 'WORKOUTS', goal: 10, from: -20, to: 10 },
    { title: 'Plank every day', metric: 'CUSTOM', goal: 30, from: 6, to: 36 },
  ],
  [DEMO_GYMS.aquaClub.id]: [
    { title: 'Swim the Channel', metric: 'CUSTOM', goal: 33_000, from: -25, to: -4 },
    { title: 'Ten visits', metric: 'CHECK_INS', goal: 10, from: -20, to: 8 },
    { title: 'Five hundred minutes', metric: 'MINUTES', goal: 500, from: -18, to: 12 },
    { title: 'Early birds', metric: 'CHECK_INS', goal: 8, from: 5, to: 33 },
  ],
};

/** Inserts challenges with their participants, and the participants of the two monthly challenges, which are stored already. */
export async function insertChallenges(
  context: HistoryContext,
  gym: HistoryGym,
  visits: readonly DemoVisit[],
): Promise<void> {
  const { unit } = context;
  const planned = (PLANS[gym.id] ?? []).map((plan) => challengeOf(context, gym, plan));
  await unit.em.insertMany(Challenge, planned);
  const monthly = await unit.em.find(Challenge, { gymId: gym.id, id: [demoId('302', 1), demoId('302', 2)] });
  const participants = [...planned, ...monthly].flatMap((challenge) =>
    participantsOf(context, gym, challenge, visits),
  );
  if (participants.length === 0) return;
  await unit.em.insertMany(Participant, participants);
  await countSoon(unit);
}

function challengeOf({ now, random }: HistoryContext, { id: gymId, timezone }: HistoryGym, plan: Plan) {
  const { title, metric, goal, from, to } = plan;
  const at = (days: number) => instantOf(addDays(dayOf(now, timezone), days), '00:00', timezone);
  const createdAt = at(Math.min(from, 0) - 3);
  return {
    id: random.idAt(createdAt),
    gymId,
    title,
    metric,
    goal,
    startsAt: at(from),
    endsAt: at(to),
    createdAt,
  };
}

type Scored = Pick<Challenge, 'id' | 'metric' | 'goal' | 'startsAt' | 'endsAt'>;

function participantsOf(
  context: HistoryContext,
  gym: HistoryGym,
  challenge: Scored,
  visits: readonly DemoVisit[],
) {
  const { now, random } = context;
  const { id: challengeId, metric, startsAt } = challenge;
  if (startsAt > now) return [];
  const isOfTrainings = metric === 'WORKOUTS' || metric === 'MINUTES';
  const training = TRAINING_HABITS.filter(({ gymId }) => gymId === gym.id).map(({ userId }) => userId);
  const users = isOfTrainings
    ? training
    : [...gym.demoUserIds, ...random.some(gym.memberIds, Math.ceil(gym.memberIds.length / 2))];
  return users.map((userId, index) => {
    const joinedAt = new Date(Math.min(now.getTime(), startsAt.getTime() + index * 1_800_000)); // half an hour
    const scored = scoreOf(context, challenge, userId, visits);
    return {
      challengeId,
      userId,
      joinedAt,
      score: scored.score,
      reachedAt: scored.reachedAt ?? joinedAt,
      // The content service stores the trainings, so a job counts them.
      ...(isOfTrainings && { recountMark: randomUUID(), recountAt: now }),
    };
  });
}

/** Visits are counted; the progress that members report is made up. */
function scoreOf(
  { now, random }: HistoryContext,
  { metric, goal, startsAt, endsAt }: Scored,
  userId: string,
  visits: readonly DemoVisit[],
): { score: number; reachedAt?: Date } {
  if (metric === 'CUSTOM') {
    const end = Math.min(now.getTime(), endsAt.getTime());
    return {
      score: Math.min(goal, Math.round((goal * random.int(15, 115)) / 1_000) * 10), // the goal bounds it, as by the rules
      reachedAt: new Date(startsAt.getTime() + (end - startsAt.getTime()) * random.number()),
    };
  }
  if (metric !== 'CHECK_INS') return { score: 0 };
  const counted = visits
    .filter((visit) => visit.userId === userId && visit.checkedInAt >= startsAt && visit.checkedInAt < endsAt)
    .map(({ checkedInAt }) => checkedInAt.getTime());
  return { score: counted.length, ...(counted.length > 0 && { reachedAt: new Date(Math.max(...counted)) }) };
}
