import DataLoader from 'dataloader';
import { z } from 'zod';
import { requireGym, requireGymAdmin, requireUser } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { conflict, invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireSight } from '../access.ts';
import { lockMember } from '../check-ins/member-lock.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Challenge, Participant } from './challenge.entity.ts';
import {
  ChallengeRow,
  CreateChallengeInput,
  ProgressInput,
  type ChallengeShape,
  type LeaderboardEntryShape,
} from './challenges.shapes.ts';
import type { Scores } from './scores.ts';

const ranking = cursorsOf('leaderboard', z.tuple([z.int(), z.iso.datetime(), z.uuid()]));

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

/** Challenges of a gym and their leaderboards. The gym's users see them, its staff creates them. */
export class Challenges {
  private readonly unit: UnitOfWork;
  private readonly scores: Scores;
  private readonly byId = loaderOf(
    (ids) => this.unit.em.find(Challenge, { id: { $in: [...ids] } }),
    (challenge) => challenge.id,
  );
  private readonly activeByGym = new DataLoader<string, Challenge[]>(async (gymIds) => {
    const now = new Date();
    const found = await this.unit.em.find(
      Challenge,
      { gymId: { $in: [...gymIds] }, startsAt: { $lte: now }, endsAt: { $gt: now } },
      { orderBy: { endsAt: 'asc', id: 'asc' } },
    );
    return gymIds.map((gymId) => found.filter((challenge) => challenge.gymId === gymId));
  });
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

  constructor(unit: UnitOfWork, scores: Scores) {
    this.unit = unit;
    this.scores = scores;
  }

  /** The challenges that run now, sorted by their end. */
  async active(gymId?: string | null): Promise<ChallengeShape[]> {
    return this.presented(await this.activeByGym.load(requireGym(this.unit.viewer, gymId)));
  }

  /** The same as `active`, for the graph's `Gym.challenges`. */
  async ofGym(gymId: string): Promise<ChallengeShape[]> {
    return this.active(gymId);
  }

  /** @throws NOT_FOUND, also for another gym's challenge */
  async get(id: string): Promise<ChallengeShape> {
    return present(await this.load(id), await this.ownPart.load(id));
  }

  async create(input: unknown): Promise<ChallengeShape> {
    const { gymId: chosen, startsAt, endsAt, ...rest } = validated(CreateChallengeInput, input);
    const gymId = requireGymAdmin(this.unit.viewer, chosen);
    const created = await this.unit.transaction(async () => {
      await requireOpenGym(this.unit, gymId);
      const challenge = this.unit.em.create(Challenge, {
        ...rest,
        gymId,
        startsAt: new Date(startsAt),
        endsAt: new Date(endsAt),
        version: 1,
      });
      await this.unit.em.flush();
      return present(challenge, null);
    });
    this.activeByGym.clear(gymId);
    return created;
  }

  /** Joining a second time changes nothing. A member's visits during the challenge count even if they joined it later. */
  async join(id: string): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    return this.unit.transaction(async () => {
      await lockMember(this.unit, userId);
      const challenge = await this.keptUntilCommit(id);
      if (challenge.endsAt.getTime() <= Date.now()) throw conflict('This challenge has ended.');
      const now = new Date();
      const joined = await this.unit.em.execute<unknown[]>(
        'insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at) values (?, ?, 0, ?, ?) on conflict do nothing returning 1',
        [id, userId, now, now],
      );
      if (joined.length > 0 && challenge.metric === 'CHECK_INS') await this.scores.count(id, userId);
      return this.presentedFresh(challenge);
    });
  }

  /** Leaves the challenge; the score is deleted. */
  async leave(id: string): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    return this.unit.transaction(async () => {
      const challenge = await this.keptUntilCommit(id);
      await this.unit.em.nativeDelete(Participant, { challengeId: id, userId });
      return this.presentedFresh(challenge);
    });
  }

  /** Adds to the viewer's score in a challenge that is not counted automatically. */
  async progress(id: string, input: unknown): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { amount } = validated(ProgressInput, input);
    return this.unit.transaction(async () => {
      const challenge = await this.keptUntilCommit(id);
      const now = Date.now();
      if (challenge.metric === 'CHECK_INS')
        throw invalid('amount', 'expected another metric: a CHECK_INS challenge counts visits automatically');
      if (challenge.startsAt.getTime() > now || challenge.endsAt.getTime() <= now)
        throw conflict('This challenge is not running now.');
      const counted = await this.unit.em.execute<unknown[]>(
        `update challenge_participant set score = score + ?, reached_at = date_trunc('milliseconds', clock_timestamp()) where challenge_id = ? and user_id = ? returning 1`,
        [amount, id, userId],
      );
      if (counted.length === 0) throw conflict('You have not joined this challenge; join it first.');
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

  private async load(id: string): Promise<Challenge> {
    requireUser(this.unit.viewer);
    return requireSight(this.unit.viewer, 'challenge', id, isUuid(id) ? await this.byId.load(id) : null);
  }

  /** The same as `load`, for a write: nobody can delete the challenge before the transaction ends. */
  private async keptUntilCommit(id: string): Promise<Challenge> {
    requireUser(this.unit.viewer);
    const { em } = this.unit;
    const rows = isUuid(id)
      ? await em.execute<unknown[]>('select 1 from challenge where id = ? for key share', [id])
      : [];
    const challenge = rows.length > 0 ? await em.findOne(Challenge, { id }, { refresh: true }) : null;
    return requireSight(this.unit.viewer, 'challenge', id, challenge);
  }

  private async presented(challenges: Challenge[]): Promise<ChallengeShape[]> {
    return Promise.all(
      challenges.map(async (challenge) => present(challenge, await this.ownPart.load(challenge.id))),
    );
  }

  /** The challenge after a change of the viewer's participation. */
  private async presentedFresh(challenge: Challenge): Promise<ChallengeShape> {
    return present(challenge, await this.ownPart.clear(challenge.id).load(challenge.id));
  }
}

const presentEntry = ({ userId, score, reachedAt }: Ranked, rank: number): LeaderboardEntryShape => ({
  rank,
  userId,
  score,
  reachedAt: new Date(reachedAt).toISOString(),
});

const present = (challenge: Challenge, part: Pick<Ranked, 'score'> | null): ChallengeShape => ({
  ...presented(ChallengeRow, challenge),
  joined: part !== null,
  score: part?.score ?? null,
});
