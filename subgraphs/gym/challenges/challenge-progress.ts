import { requireUser } from '#server/auth/viewer.ts';
import { conflict, forbidden, invalid, PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayManage } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { hasBegun, hasEnded } from './challenge-rows.ts';
import type { Challenges } from './challenges.ts';
import { ProgressInput, type ChallengeShape } from './challenges.shapes.ts';

/** The scores of CUSTOM challenges, to which the participants add themselves, and which staff correct. */
export class ChallengeProgress {
  private readonly unit: UnitOfWork;
  private readonly challenges: Challenges;

  constructor(unit: UnitOfWork, challenges: Challenges) {
    this.unit = unit;
    this.challenges = challenges;
  }

  /**
   * Adds to the viewer's score, or corrects the score of `userId`: only staff may correct scores, and each correction is audited.
   * A score is at least 0 and at most the goal.
   * @throws CHALLENGE_COUNTS_ITSELF for another metric than CUSTOM; CONFLICT if the challenge is not running, or the user has not joined it
   */
  async add(id: string, input: unknown): Promise<ChallengeShape> {
    const { viewer } = this.unit;
    const { userId } = requireUser(viewer);
    const { amount, userId: named } = validated(ProgressInput, input);
    const participant = named ?? userId;
    return this.unit.transaction(async () => {
      const challenge = await this.challenges.keptUntilCommit(id);
      const isCorrection = Boolean(named) && mayManage(viewer, challenge);
      if (participant !== userId && !isCorrection)
        throw forbidden('Only the staff of the gym may change the score of another user.');
      if (amount < 1 && !isCorrection) throw invalid('amount', 'expected a whole number of at least 1');
      if (challenge.metric !== 'CUSTOM')
        throw new PlatformError(
          'CHALLENGE_COUNTS_ITSELF',
          `The scores of a ${challenge.metric} challenge are counted automatically; only those of a CUSTOM challenge are added to.`,
        );
      if (!hasBegun(challenge) || hasEnded(challenge)) throw conflict('This challenge is not running now.');
      await this.store(id, participant, amount, challenge.goal, participant === userId);
      const { gymId, title } = challenge;
      if (isCorrection)
        await audit(this.unit, {
          gymId,
          actorId: userId,
          action: 'CHALLENGE_CORRECTED',
          details: { challengeId: id, title, userId: participant, amount },
        });
      return this.challenges.presentedFresh(challenge);
    });
  }

  /**
   * A score that is above the goal, because the goal was lowered later, is not reduced to the goal. If an addition does not
   * change the score, `reached_at` does not change either.
   */
  private async store(
    id: string,
    participant: string,
    amount: number,
    goal: number,
    isOwn: boolean,
  ): Promise<void> {
    const counted = await this.unit.em.execute<unknown[]>(
      `update challenge_participant p set score = changed.score,
         reached_at = case when p.score = changed.score then p.reached_at else date_trunc('milliseconds', clock_timestamp()) end
       from (
         select challenge_id, user_id, greatest(0, least(score + ?::int, greatest(score, ?::int))) as score
         from challenge_participant where challenge_id = ? and user_id = ? for no key update
       ) as changed
       where p.challenge_id = changed.challenge_id and p.user_id = changed.user_id returning 1`,
      [amount, goal, id, participant],
    );
    if (counted.length === 0)
      throw conflict(
        isOwn
          ? 'You have not joined this challenge; join it first.'
          : 'This user has not joined the challenge.',
      );
  }
}
