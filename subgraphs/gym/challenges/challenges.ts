import DataLoader from 'dataloader';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireGym, requireUser } from '#server/auth/viewer.ts';
import { conflict } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, MAX_PAGE_SIZE, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireSight } from '../access.ts';
import { lockMember } from '../check-ins/member-lock.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Participant } from './challenge.entity.ts';
import {
  activeChallenges,
  CHALLENGE,
  challengePage,
  hasBegun,
  hasEnded,
  withItems,
} from './challenge-rows.ts';
import {
  ChallengesFilter,
  type ChallengeRow,
  type ChallengeShape,
  type LeaderboardEntryShape,
} from './challenges.shapes.ts';
import { markChanged } from './score-marks.ts';
import type { Scores } from './scores.ts';
import { isCountedFromTrainings, type TrainingScores } from './training-scores.ts';

const ranking = cursorsOf('leaderboard', z.tuple([z.int(), z.iso.datetime(), uuid()]));

/** A row of a participant. `reachedAt` has PostgreSQL's own format, which is exact to the microsecond. */
interface Ranked {
  challengeId: string;
  userId: string;
  score: number;
  reachedAt: string;
}

const RANKED = 'challenge_id as "challengeId", user_id as "userId", score, reached_at as "reachedAt"';
const BEST_FIRST = '-score, reached_at, user_id';

/**
 * How many participants rank above each given participant: all with a higher score, from the counts that a trigger maintains,
 * and those who reached the same score earlier.
 */
const AHEAD = `
  select (
    (select coalesce(sum(participants), 0) from challenge_score_count
      where challenge_id = given.challenge_id and score > given.score)
    + (select count(*) from challenge_participant
      where challenge_id = given.challenge_id and -score = -given.score
        and (reached_at, user_id) < (given.reached_at, given.user_id))
  )::int as ahead
  from unnest(?::uuid[], ?::int[], ?::timestamptz[], ?::uuid[])
    with ordinality as given (challenge_id, score, reached_at, user_id, position)
  order by position`;

/** Challenges of a gym and their leaderboards, for the gym's users. Its staff plan them, see `ChallengePlans`. */
export class Challenges {
  private readonly unit: UnitOfWork;
  private readonly scores: Scores;
  private readonly trainingScores: TrainingScores;
  private readonly byId = loaderOf(
    (ids) =>
      this.unit.read<ChallengeRow>(`select ${CHALLENGE} from challenge where id = any(?::uuid[])`, [ids]),
    (challenge) => challenge.id,
  );
  private readonly activeByGym = firstItemsLoaderOf(
    (gymIds, count) => activeChallenges(this.unit, gymIds, count),
    (challenge) => challenge.gymId,
  );
  /** The viewer's own participation in a challenge. */
  private readonly ownPart = loaderOf(
    (challengeIds) =>
      this.unit.read<Ranked>(
        `select ${RANKED} from challenge_participant where user_id = ? and challenge_id = any(?::uuid[])`,
        [requireUser(this.unit.viewer).userId, challengeIds],
      ),
    (part) => part.challengeId,
  );
  private readonly leaders = firstItemsLoaderOf(
    (challengeIds, count) =>
      this.unit.read<Ranked>(
        `select best.* from unnest(?::uuid[]) as challenge (id) cross join lateral (
           select ${RANKED} from challenge_participant where challenge_id = challenge.id order by ${BEST_FIRST} limit ?
         ) as best order by -best.score, best."reachedAt", best."userId"`,
        [challengeIds, count],
      ),
    (entry) => entry.challengeId,
  );
  private readonly ranks = new DataLoader<Ranked, number>(
    async (participants) => {
      const rows = await this.unit.read<{ ahead: number }>(AHEAD, [
        participants.map(({ challengeId }) => challengeId),
        participants.map(({ score }) => score),
        participants.map(({ reachedAt }) => reachedAt),
        participants.map(({ userId }) => userId),
      ]);
      return rows.map(({ ahead }) => ahead + 1);
    },
    { cache: false },
  );

  constructor(unit: UnitOfWork, scores: Scores, trainingScores: TrainingScores) {
    this.unit = unit;
    this.scores = scores;
    this.trainingScores = trainingScores;
  }

  /** The challenges that run now, sorted by their end, at most 200; batched. */
  async active(gymId?: string | null): Promise<ChallengeShape[]> {
    const found = await this.activeByGym(requireGym(this.unit.viewer, gymId), MAX_PAGE_SIZE);
    return this.withOwnPart(found);
  }

  /**
   * The challenges of a gym: those that run (the first to end comes first), that have not begun (the first to begin comes
   * first), or that have ended (the latest end comes first).
   */
  async list(filter: unknown, request: PageRequest): Promise<Page<ChallengeShape>> {
    const { status, gymId } = validated(ChallengesFilter, filter);
    const page = await challengePage(this.unit, requireGym(this.unit.viewer, gymId), status, request);
    return withItems(page, await this.withOwnPart(page.items));
  }

  /** @throws NOT_FOUND, also for another gym's challenge */
  async get(id: string): Promise<ChallengeShape> {
    return present(await this.load(id), await this.ownPart.load(id));
  }

  /** The challenge, read again after it was changed. */
  async reread(id: string): Promise<ChallengeShape> {
    this.byId.clear(id);
    return this.get(id);
  }

  /**
   * Joining a second time changes nothing. A member's visits and trainings during the challenge count even if they joined it
   * later.
   */
  async join(id: string): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    // The trainings are read before the transaction, because no transaction should wait for another service.
    const trained = await this.trainedBefore(id, userId);
    return this.unit.transaction(async () => {
      await lockMember(this.unit, userId);
      const challenge = await this.keptUntilCommit(id);
      if (hasEnded(challenge)) throw conflict('This challenge has ended.');
      await requireOpenGym(this.unit, challenge.gymId);
      const now = new Date();
      const joined = await this.unit.em.execute<unknown[]>(
        'insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at) values (?, ?, ?, ?, ?) on conflict do nothing returning 1',
        [id, userId, trained?.score ?? 0, trained?.reachedAt ?? now, now],
      );
      if (joined.length > 0 && challenge.metric === 'CHECK_INS') await this.scores.count(id, userId);
      // A training may have been logged since the trainings were read. Its event could not mark the score of somebody who had not
      // joined yet.
      if (joined.length > 0 && isCountedFromTrainings(challenge.metric))
        await markChanged(this.unit, [{ userId, at: now.toISOString() }]);
      return this.presentedFresh(challenge);
    });
  }

  /** Leaves the challenge; the score is deleted. @throws CONFLICT if the challenge has ended */
  async leave(id: string): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    return this.unit.transaction(async () => {
      const challenge = await this.keptUntilCommit(id);
      if (hasEnded(challenge)) throw conflict('This challenge has ended; its final leaderboard is kept.');
      await this.unit.em.nativeDelete(Participant, { challengeId: id, userId });
      return this.presentedFresh(challenge);
    });
  }

  /** The participants, best first; of equal scores the earlier one ranks higher. First pages are batched. */
  async leaderboard(id: string, request: PageRequest): Promise<Page<LeaderboardEntryShape>> {
    await this.load(id);
    const after = ranking.read(request.cursor);
    const count = pageSize(request) + 1;
    const rows = after
      ? await this.unit.read<Ranked>(
          `select ${RANKED} from challenge_participant
           where challenge_id = ? and (-score, reached_at, user_id) > (?, ?, ?) order by ${BEST_FIRST} limit ?`,
          [id, -after[0], after[1], after[2], count],
        )
      : await this.leaders(id, count);
    const [first] = rows;
    const firstRank = after && first ? await this.ranks.load(first) : 1;
    const entries = rows.map((row, index) => presentEntry(row, firstRank + index));
    return ranking.page(entries, request, (entry) => [entry.score, entry.reachedAt, entry.userId]);
  }

  /** The viewer's own entry of the leaderboard; null if they have not joined. Batched. */
  async ownRank(id: string): Promise<LeaderboardEntryShape | null> {
    await this.load(id);
    const part = await this.ownPart.clear(id).load(id);
    return part && presentEntry(part, await this.ranks.load(part));
  }

  /**
   * The score from the trainings of a user who has not joined yet. Undefined if there is nothing to count (another metric, a
   * challenge that is not running, a user who has joined), and while the content service does not answer.
   */
  private async trainedBefore(id: string, userId: string) {
    const challenge = await this.load(id);
    if (!isCountedFromTrainings(challenge.metric) || !hasBegun(challenge) || hasEnded(challenge))
      return undefined;
    const part = await this.ownPart.clear(id).load(id);
    return part ? undefined : this.trainingScores.initial(userId, challenge);
  }

  private async load(id: string): Promise<ChallengeRow> {
    requireUser(this.unit.viewer);
    return requireSight(this.unit.viewer, 'challenge', id, isUuid(id) ? await this.byId.load(id) : null);
  }

  /** The same as `load`, for a write: nobody can change or delete the challenge before the transaction ends. */
  async keptUntilCommit(id: string): Promise<ChallengeRow> {
    requireUser(this.unit.viewer);
    const [challenge] = isUuid(id)
      ? await this.unit.run<ChallengeRow>(`select ${CHALLENGE} from challenge where id = ? for key share`, [
          id,
        ])
      : [];
    return requireSight(this.unit.viewer, 'challenge', id, challenge ?? null);
  }

  private async withOwnPart(challenges: readonly ChallengeRow[]): Promise<ChallengeShape[]> {
    return Promise.all(
      challenges.map(async (challenge) => present(challenge, await this.ownPart.load(challenge.id))),
    );
  }

  /** The challenge after a change of the viewer's participation. */
  async presentedFresh(challenge: ChallengeRow): Promise<ChallengeShape> {
    return present(challenge, await this.ownPart.clear(challenge.id).load(challenge.id));
  }
}

const presentEntry = ({ userId, score, reachedAt }: Ranked, rank: number): LeaderboardEntryShape => ({
  rank,
  userId,
  score,
  reachedAt: new Date(reachedAt).toISOString(),
});

const present = (challenge: ChallengeRow, part: Pick<Ranked, 'score'> | null): ChallengeShape => ({
  ...challenge,
  joined: part !== null,
  score: part?.score ?? null,
});
