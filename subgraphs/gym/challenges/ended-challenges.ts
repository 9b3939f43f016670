import { recordEvents } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { columnsOf } from '#server/database/columns.ts';
import { ChallengeRow } from './challenges.shapes.ts';

/** Challenges in one transaction. */
export const ANNOUNCED_AT_ONCE = 100;

const ENDED = columnsOf(ChallengeRow);

/**
 * Writes `challenge.ended` for the challenges that have reached their end, each once; returns their number. If it is `ANNOUNCED_AT_ONCE`,
 * there may be more.
 */
export async function announceEndedChallenges(unit: UnitOfWork): Promise<number> {
  return unit.transaction(async () => {
    const ended = await unit.em.execute<ChallengeRow[]>(
      // Another replica announces the rows that are locked.
      `update challenge set end_announced_at = now() where id = any(array(
         select id from challenge where end_announced_at is null and ends_at <= now()
         order by ends_at limit ${ANNOUNCED_AT_ONCE} for no key update skip locked
       )) returning ${ENDED}`,
    );
    await recordEvents(
      unit,
      ended.map((challenge) => ({
        type: 'challenge.ended',
        gymId: challenge.gymId,
        subject: `challenge/${challenge.id}`,
        data: challenge,
        occurredAt: new Date(challenge.endsAt),
      })),
    );
    return ended.length;
  });
}
