import { presented } from '#server/database/columns.ts';
import { recordEvents, type NewEvent } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Challenge } from './challenge.entity.ts';
import { CHALLENGE } from './challenge-rows.ts';
import { ChallengeRow } from './challenges.shapes.ts';

/** The maximum number of challenges in one transaction. */
export const ANNOUNCED_AT_ONCE = 100;

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
       )) returning ${CHALLENGE}`,
    );
    await recordEvents(unit, ended.map(challengeEnded));
    return ended.length;
  });
}

/** Writes `challenge.ended` for a challenge that staff have ended, in their transaction. */
export const announceEnd = (unit: UnitOfWork, challenge: Challenge): Promise<void> =>
  recordEvents(unit, [challengeEnded(presented(ChallengeRow, challenge))]);

const challengeEnded = (challenge: ChallengeRow): NewEvent => ({
  type: 'challenge.ended',
  gymId: challenge.gymId,
  subject: `challenge/${challenge.id}`,
  data: challenge,
  occurredAt: new Date(challenge.endsAt),
});
