import { DEMO_MEMBERS, Seeded } from '#server/demo-history.ts';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { insertChallenges } from './challenges.ts';
import { insertClassHistory } from './class-sessions.ts';
import type { HistoryContext, HistoryGym } from './context.ts';
import { insertNews } from './news.ts';
import { insertOrders } from './orders.ts';
import { insertVisits } from './visits.ts';

const gymOf = (
  gym: keyof typeof DEMO_GYMS,
  staff: { id: string; timezone: string },
  demoUsers: readonly { id: string }[],
): HistoryGym => {
  const { id } = DEMO_GYMS[gym];
  const idsOf = (...statuses: string[]) =>
    DEMO_MEMBERS.filter(({ gymId, status }) => gymId === id && statuses.includes(status)).map(
      (member) => member.id,
    );
  return {
    id,
    timezone: staff.timezone,
    staffId: staff.id,
    memberIds: idsOf('ACTIVE'),
    demoUserIds: demoUsers.map((person) => person.id),
    formerIds: idsOf('FROZEN', 'ENDED'),
  };
};

const GYMS: readonly HistoryGym[] = [
  gymOf('ironTemple', demoPerson('admin@iron.test'), [
    demoPerson('maya@iron.test'),
    demoPerson('leo@iron.test'),
  ]),
  gymOf('aquaClub', demoPerson('admin@aqua.test'), [demoPerson('zoe@aqua.test')]),
];

/**
 * Inserts four weeks of the demo gyms before `now`, and what is planned for the next weeks, in the open transaction. Relative to
 * `now`, the rows are the same at every first start, as far as the day of the week and the hour permit. The number of people
 * inside is the same at every hour.
 */
export async function insertHistory(unit: UnitOfWork, now: Date): Promise<void> {
  for (const gym of GYMS) {
    // Each part has a seed of its own, because how many random numbers the others take depends on the day and the hour.
    const of = (part: string): HistoryContext => ({ unit, now, random: new Seeded(`${part} ${gym.id}`) });
    const attendances = await insertClassHistory(of('classes'), gym);
    const visits = await insertVisits(of('visits'), gym, attendances);
    await insertChallenges(of('challenges'), gym, visits);
    await insertOrders(of('orders'), gym);
    await insertNews(of('news'), gym);
  }
}
