import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import type { CallsToServices } from '#server/service-calls.ts';
import { NO_ORIGIN, type Origin, type UnitOfWork } from '#server/unit-of-work.ts';
import type { ChallengeMetric } from './challenge.entity.ts';

/** The metrics whose scores are counted from trainings, which the content service stores. */
const TRAINING_METRICS: readonly ChallengeMetric[] = ['WORKOUTS', 'MINUTES'];
export const isCountedFromTrainings = (metric: ChallengeMetric): boolean => TRAINING_METRICS.includes(metric);

/** `isCountedFromTrainings` as an SQL condition on the challenge `c`. */
export const IS_COUNTED_FROM_TRAININGS = `c.metric in ('${TRAINING_METRICS.join("', '")}')`;

/** Scores in one request to the content service, which accepts at most 100. */
export const BATCH = 100;

const TrainingCount = z.object({
  trainings: z.int(),
  minutes: z.int(),
  reachedAt: z.iso.datetime().nullable(),
  changesAt: z.iso.datetime().nullable(),
});
type TrainingCount = z.infer<typeof TrainingCount>;

interface CountedRange {
  userId: string;
  startsAt: string;
  endsAt: string;
}

/**
 * How much users have trained in time ranges, in the order of the ranges.
 * @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT; VALIDATION_FAILED if the content service refuses one of the ranges
 */
export type CountTrainings = (ranges: readonly CountedRange[], origin: Origin) => Promise<TrainingCount[]>;

/** Asks the content service. */
export const trainingCountsOf =
  (calls: CallsToServices): CountTrainings =>
  async (ranges, origin) => {
    const of = ranges.map(({ userId, startsAt, endsAt }) => `${userId}/${startsAt}/${endsAt}`).join(',');
    const path = `/training-counts?of=${of}`;
    return z
      .array(TrainingCount)
      .length(ranges.length)
      .parse(await calls.to('content').call({ method: 'GET', path, as: 'service', origin }));
  };

interface DueScore extends CountedRange {
  challengeId: string;
  metric: ChallengeMetric;
  mark: string;
}

/**
 * The scores of WORKOUTS and MINUTES challenges.
 *
 * A score that may have changed gets a new mark. A score with a mark is counted from the trainings that exist at that moment, and
 * stored only if its mark is still the same. So a count is dropped if a later change has replaced the mark, no score goes back
 * to an older count, and events about trainings may arrive in any order.
 */
export class TrainingScores {
  private readonly unit: UnitOfWork;
  private readonly countTrainings: CountTrainings;

  constructor(unit: UnitOfWork, countTrainings: CountTrainings) {
    this.unit = unit;
    this.countTrainings = countTrainings;
  }

  /**
   * The score of a user who joins now, from their trainings since the challenge began; undefined while the content service does
   * not answer.
   */
  async initial(
    userId: string,
    challenge: { metric: ChallengeMetric; startsAt: string; endsAt: string },
  ): Promise<{ score: number; reachedAt: Date | null } | undefined> {
    try {
      const [count] = await this.countTrainings([{ userId, ...challenge }], this.unit.origin);
      return count && scoreOf(challenge.metric, count);
    } catch (error) {
      // The score begins at 0. `join` marks it, so it is counted when the content service answers again.
      if (!(error instanceof PlatformError)) throw error;
      this.unit.log.warn({ err: error }, 'the score of a new participant is counted later');
      return undefined;
    }
  }

  /** Counts the scores with the oldest marks; returns their number. If it is `BATCH`, there may be more. */
  async countDue(): Promise<number> {
    const due = await this.unit.read<DueScore>(
      `select p.challenge_id as "challengeId", p.user_id as "userId", p.recount_mark as mark, c.metric,
         ${asInstant('c.starts_at')} as "startsAt", ${asInstant('c.ends_at')} as "endsAt"
       from challenge_participant p join challenge c on c.id = p.challenge_id
       where p.recount_at <= now() and ${IS_COUNTED_FROM_TRAININGS}
       order by p.recount_at, p.challenge_id, p.user_id limit ${BATCH}`,
      [],
    );
    if (due.length === 0) return 0;
    const counts = await this.countsOf(due);
    for (const [index, score] of due.entries()) {
      const count = counts[index];
      if (count) await this.store(score, count);
    }
    return due.length;
  }

  /** The counts of the scores. If the content service refuses one of them, the others are counted nevertheless. */
  private async countsOf(due: readonly DueScore[]): Promise<readonly (TrainingCount | undefined)[]> {
    try {
      return await this.countTrainings(due, NO_ORIGIN);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'VALIDATION_FAILED') throw error;
      const [only, ...others] = due;
      if (only && others.length === 0) {
        await this.postpone(only, error);
        return [undefined];
      }
      const half = Math.ceil(due.length / 2);
      return [...(await this.countsOf(due.slice(0, half))), ...(await this.countsOf(due.slice(half)))];
    }
  }

  /** Counts the score again in a day: with its old time, it would be in the first batch of every run. */
  private async postpone({ challengeId, userId }: DueScore, error: PlatformError): Promise<void> {
    this.unit.log.error({ err: error, challengeId, userId }, 'the score of a challenge cannot be counted');
    await this.unit.transaction(() =>
      this.unit.run(
        `update challenge_participant set recount_at = now() + interval '1 day'
         where challenge_id = ? and user_id = ? returning 1`,
        [challengeId, userId],
      ),
    );
  }

  /**
   * Stores one score in a transaction of its own: the update locks rows of `challenge_score_count`, which transactions of other
   * members need, too.
   */
  private async store({ challengeId, userId, metric, mark }: DueScore, count: TrainingCount): Promise<void> {
    const { score, reachedAt } = scoreOf(metric, count);
    // A training whose end is in the future counts from then on: the mark stays until that time, and at least for a second,
    // because the clocks of the servers may differ.
    const isFinal = count.changesAt === null;
    await this.unit.transaction(async () => {
      // Lock the challenge before the participant, as every change of a challenge does. Otherwise the trigger, whose rows refer
      // to the challenge, would lock it after the participant.
      await this.unit.run('select 1 from challenge where id = ? for key share', [challengeId]);
      await this.unit.run(
        `update challenge_participant set score = ?, reached_at = coalesce(?::timestamptz, joined_at),
         recount_mark = ${isFinal ? 'null' : 'recount_mark'},
         recount_at = ${isFinal ? 'null' : "greatest(?::timestamptz, now() + interval '1 second')"}
       where challenge_id = ? and user_id = ? and recount_mark = ? returning 1`,
        [score, reachedAt, ...(isFinal ? [] : [count.changesAt]), challengeId, userId, mark],
      );
    });
  }
}

const scoreOf = (
  metric: ChallengeMetric,
  { trainings, minutes, reachedAt }: TrainingCount,
): { score: number; reachedAt: Date | null } => ({
  score: metric === 'WORKOUTS' ? trainings : minutes,
  reachedAt: reachedAt === null ? null : new Date(reachedAt),
});

const asInstant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
