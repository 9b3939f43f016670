import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * SQL that selects and locks the CHECK_INS challenges in which a visit counts; it can be a part of a larger statement. Its
 * values are the member, the gym and, twice, the beginning of the visit.
 */
export const RUNNING_CHALLENGES = `select c.id from challenge c join challenge_participant p on p.challenge_id = c.id and p.user_id = ?
  where c.gym_id = ? and c.metric = 'CHECK_INS' and c.starts_at <= ? and c.ends_at > ? order by c.id for key share of c`;

/** The scores of CHECK_INS challenges: the number of a member's visits during the challenge. */
export class Scores {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Recounts a member's visits in every CHECK_INS challenge of the gym that they have joined and that runs at the time `at`.
   * The calling rule has locked the member.
   */
  async countCheckIns(userId: string, gymId: string, at: Date): Promise<void> {
    const challenges = await this.unit.em.execute<{ id: string }[]>(RUNNING_CHALLENGES, [
      userId,
      gymId,
      at,
      at,
    ]);
    await this.countEach(
      challenges.map(({ id }) => id),
      userId,
    );
  }

  /** @param challengeIds sorted, because each count takes locks, which all transactions must take in the same order */
  async countEach(challengeIds: readonly string[], userId: string): Promise<void> {
    for (const id of challengeIds) await this.count(id, userId);
  }

  /** Recounts one score. Its `reached_at` is the beginning of the last counted visit, so undoing a visit restores the earlier time. */
  async count(challengeId: string, userId: string): Promise<void> {
    await this.unit.em.execute(
      `update challenge_participant p set score = visits.score, reached_at = coalesce(visits.reached_at, p.joined_at)
       from challenge c, lateral (
         select count(*)::int as score, max(v.checked_in_at) as reached_at from check_in v
         where v.user_id = ? and v.gym_id = c.gym_id and v.checked_in_at >= c.starts_at and v.checked_in_at < c.ends_at
           and v.check_out_kind is distinct from 'UNDONE'
       ) as visits
       where p.challenge_id = c.id and p.user_id = ? and c.id = ?`,
      [userId, userId, challengeId],
    );
  }
}
