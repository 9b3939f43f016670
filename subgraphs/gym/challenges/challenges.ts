import DataLoader from 'dataloader';
import { z } from 'zod';
import { requireGym, requireGymAdmin, requireUser, seesGym } from '#server/auth/viewer.ts';
import { conflict, invalid, notFound } from '#server/errors.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Challenge, Participant } from './challenge.entity.ts';
import {
  CreateChallengeInput,
  ProgressInput,
  type ChallengeShape,
  type LeaderboardEntryShape,
} from './challenges.shapes.ts';
import type { Scores } from './scores.ts';

const ranking = cursorsOf('leaderboard', z.tuple([z.int(), z.iso.datetime(), z.uuid()]));

interface Ranked {
  userId: string;
  score: number;
  reachedAt: Date;
}

/** Challenges of a gym, and who leads. Seen by the gym's people, made by its GYM_ADMIN. */
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
  /** The viewer's own part in a challenge. */
  private readonly ownPart = loaderOf(
    (challengeIds) =>
      this.unit.em.find(Participant, {
        userId: requireUser(this.unit.viewer).userId,
        challengeId: { $in: [...challengeIds] },
      }),
    (participant) => participant.challengeId,
  );

  constructor(unit: UnitOfWork, scores: Scores) {
    this.unit = unit;
    this.scores = scores;
  }

  /** Those that run now, the one that ends first at the front. */
  async active(gymId?: string | null): Promise<ChallengeShape[]> {
    return this.presented(await this.activeByGym.load(requireGym(this.unit.viewer, gymId)));
  }

  /** As `active`, of one gym among many. */
  async ofGym(gymId: string): Promise<ChallengeShape[]> {
    return this.active(gymId);
  }

  /** @throws NOT_FOUND also for another gym's. */
  async get(id: string): Promise<ChallengeShape> {
    return this.presentedOne(await this.load(id));
  }

  async create(input: unknown): Promise<ChallengeShape> {
    const { gymId, startsAt, endsAt, ...rest } = validated(CreateChallengeInput, input);
    const challenge = this.unit.em.create(Challenge, {
      ...rest,
      gymId: await requireOpenGym(this.unit, requireGymAdmin(this.unit.viewer, gymId)),
      startsAt: new Date(startsAt),
      endsAt: new Date(endsAt),
    });
    await this.unit.em.flush();
    return this.presentedOne(challenge);
  }

  /** Takes part; joining twice is the same as once. Visits of the challenge's time count also from before. */
  async join(id: string): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    const challenge = await this.load(id);
    if (challenge.endsAt.getTime() <= Date.now()) throw conflict('This challenge has ended.');
    const now = new Date();
    await this.unit.transaction(async () => {
      const joined = await this.unit.em.execute<unknown[]>(
        'insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at) values (?, ?, 0, ?, ?) on conflict do nothing returning 1',
        [id, userId, now, now],
      );
      if (joined.length > 0 && challenge.metric === 'CHECK_INS') await this.scores.count(id, userId);
    });
    return this.presentedOne(challenge);
  }

  /** Takes no part any more; the score is gone. */
  async leave(id: string): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    const challenge = await this.load(id);
    await this.unit.em.nativeDelete(Participant, { challengeId: id, userId });
    return this.presentedOne(challenge);
  }

  /** Adds to the own score of a challenge that does not count by itself. */
  async progress(id: string, input: unknown): Promise<ChallengeShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { amount } = validated(ProgressInput, input);
    const challenge = await this.load(id);
    const now = Date.now();
    if (challenge.metric === 'CHECK_INS')
      throw invalid('amount', 'a CHECK_INS challenge counts visits by itself');
    if (challenge.startsAt.getTime() > now || challenge.endsAt.getTime() <= now)
      throw conflict('This challenge does not run now.');
    const counted = await this.unit.em.execute<unknown[]>(
      `update challenge_participant set score = score + ?, reached_at = date_trunc('milliseconds', clock_timestamp()) where challenge_id = ? and user_id = ? returning 1`,
      [amount, id, userId],
    );
    if (counted.length === 0) throw conflict('You do not take part in this challenge; join it first.');
    return this.presentedOne(challenge);
  }

  /** Best first; of equal scores who was there first. */
  async leaderboard(id: string, request: PageRequest): Promise<Page<LeaderboardEntryShape>> {
    await this.load(id);
    const after = ranking.read(request.cursor);
    const rows = await this.unit.em.execute<Ranked[]>(
      `select user_id as "userId", score, reached_at as "reachedAt" from challenge_participant
       where challenge_id = ?${after ? ' and (-score, reached_at, user_id) > (?, ?, ?)' : ''}
       order by -score, reached_at, user_id limit ?`,
      [id, ...(after ? [-after[0], new Date(after[1]), after[2]] : []), pageSize(request) + 1],
    );
    const [first] = rows;
    const firstRank = first ? await this.rankOf(id, first) : 1;
    const entries = rows.map(({ userId, score, reachedAt }, index): LeaderboardEntryShape => ({
      rank: firstRank + index,
      userId,
      score,
      reachedAt: new Date(reachedAt).toISOString(),
    }));
    return ranking.page(entries, request, (entry) => [entry.score, entry.reachedAt, entry.userId]);
  }

  /** The viewer's own place; null where she takes no part. */
  async ownRank(id: string): Promise<LeaderboardEntryShape | null> {
    await this.load(id);
    const part = await this.freshPart(id);
    return (
      part && {
        rank: await this.rankOf(id, part),
        userId: part.userId,
        score: part.score,
        reachedAt: part.reachedAt.toISOString(),
      }
    );
  }

  private async load(id: string): Promise<Challenge> {
    requireUser(this.unit.viewer);
    const challenge = await this.byId.load(id);
    if (!challenge || !seesGym(this.unit.viewer, challenge.gymId)) throw notFound('challenge', id);
    return challenge;
  }

  /** One more than are ahead: all with a better score by the sums that a trigger keeps, and of the same score those who were there first. */
  private async rankOf(challengeId: string, { score, reachedAt, userId }: Ranked): Promise<number> {
    const [{ ahead } = { ahead: 0 }] = await this.unit.em.execute<{ ahead: number }[]>(
      `select (
         (select coalesce(sum(participants), 0) from challenge_score_count where challenge_id = ? and score > ?)
         + (select count(*) from challenge_participant where challenge_id = ? and -score = ? and (reached_at, user_id) < (?, ?))
       )::int as ahead`,
      [challengeId, score, challengeId, -score, reachedAt, userId],
    );
    return ahead + 1;
  }

  private freshPart(challengeId: string): Promise<Participant | null> {
    return this.ownPart.clear(challengeId).load(challengeId);
  }

  private async presented(challenges: Challenge[]): Promise<ChallengeShape[]> {
    return Promise.all(
      challenges.map(async (challenge) => present(challenge, await this.ownPart.load(challenge.id))),
    );
  }

  private async presentedOne(challenge: Challenge): Promise<ChallengeShape> {
    const [part] = await this.unit.em.execute<{ score: number }[]>(
      'select score from challenge_participant where challenge_id = ? and user_id = ?',
      [challenge.id, requireUser(this.unit.viewer).userId],
    );
    return present(challenge, part ?? null);
  }
}

const present = (challenge: Challenge, part: { score: number } | null): ChallengeShape => ({
  id: challenge.id,
  gymId: challenge.gymId,
  title: challenge.title,
  metric: challenge.metric,
  goal: challenge.goal,
  startsAt: challenge.startsAt.toISOString(),
  endsAt: challenge.endsAt.toISOString(),
  joined: part !== null,
  score: part?.score ?? null,
});
