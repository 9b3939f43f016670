import { requireGymAdmin, requireRole, requireUser, Role } from '#server/auth/viewer.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { conflict, invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireManage } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { timeZoneOf } from '../gyms/gym-time-zone.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Challenge } from './challenge.entity.ts';
import type { Challenges } from './challenges.ts';
import {
  CreateChallengeInput,
  UpdateChallengeInput,
  type ChallengeChange,
  type ChallengeShape,
  type RecountShape,
} from './challenges.shapes.ts';
import { announceEnd } from './ended-challenges.ts';
import { markParticipants } from './score-marks.ts';
import { isCountedFromTrainings } from './training-scores.ts';

/** A challenge that recurs every month is at most this long, so that at most two of a series run at once. */
const LONGEST_MONTH_MILLIS = 31 * DAY_MILLIS;

/** The challenges of a gym, for its staff, who create, change, remove and end them. */
export class ChallengePlans {
  private readonly unit: UnitOfWork;
  private readonly challenges: Challenges;

  constructor(unit: UnitOfWork, challenges: Challenges) {
    this.unit = unit;
    this.challenges = challenges;
  }

  async create(input: unknown): Promise<ChallengeShape> {
    const {
      gymId: chosen,
      startsAt,
      endsAt,
      recurrence,
      timezone,
      ...rest
    } = validated(CreateChallengeInput, input);
    const gymId = requireGymAdmin(this.unit.viewer, chosen);
    const id = await this.unit.transaction(async () => {
      await requireOpenGym(this.unit, gymId);
      const challenge = this.unit.em.create(Challenge, {
        ...rest,
        gymId,
        startsAt: new Date(startsAt),
        endsAt: new Date(endsAt),
        seriesIndex: 0,
        version: 1,
      });
      await this.plan(challenge, { recurrence, timezone }, true);
      await this.unit.em.flush();
      await this.audited(challenge, 'CHALLENGE_CREATED');
      return challenge.id;
    });
    return this.challenges.reread(id);
  }

  /**
   * Changes a challenge. Absent fields are unchanged; `recurrence: null` ends the recurrence. Audited.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   * @throws CONFLICT if the challenge has ended, or if it runs and its metric or beginning would change
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<ChallengeShape> {
    const change = validated(UpdateChallengeInput, input);
    await this.unit.transaction(async () => {
      const challenge = await this.locked(id, expectedVersion ?? change.version, 'change');
      const { startsAt, endsAt, metric } = challenge;
      checkChange(challenge, change);
      challenge.title = change.title ?? challenge.title;
      challenge.metric = change.metric ?? challenge.metric;
      challenge.goal = change.goal ?? challenge.goal;
      if (change.startsAt) challenge.startsAt = new Date(change.startsAt);
      if (change.endsAt) challenge.endsAt = new Date(change.endsAt);
      checkTimes(challenge, Boolean(change.endsAt));
      const isMoved =
        challenge.startsAt.getTime() !== startsAt.getTime() ||
        challenge.endsAt.getTime() !== endsAt.getTime();
      await this.plan(challenge, change, isMoved);
      challenge.version += 1;
      await this.unit.em.flush();
      if (isMoved || challenge.metric !== metric) await markParticipants(this.unit, challenge);
      await this.audited(challenge, 'CHALLENGE_UPDATED');
    });
    return this.challenges.reread(id);
  }

  /** Removes a challenge that has not begun, and ends one that runs. Audited. @throws CONFLICT for a challenge that has ended */
  async remove(id: string, expectedVersion?: number | null): Promise<void> {
    await this.unit.transaction(async () => {
      const challenge = await this.locked(id, expectedVersion, 'delete');
      const now = new Date();
      if (challenge.startsAt > now) {
        await this.audited(challenge, 'CHALLENGE_DELETED');
        await this.unit.em.nativeDelete(Challenge, { id });
        return;
      }
      challenge.endsAt = now;
      challenge.endAnnouncedAt = now;
      challenge.version += 1;
      await this.unit.em.flush();
      await announceEnd(this.unit, challenge);
      await this.audited(challenge, 'CHALLENGE_ENDED');
    });
  }

  /**
   * Marks all scores of a challenge, so that they are counted again from the trainings soon after the answer; returns their
   * number. This is rarely needed, because the job `recount_trainings` does it every day.
   * @throws CONFLICT for a challenge that has ended, or is not counted from trainings
   */
  async recount(id: string): Promise<RecountShape> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    return this.unit.transaction(async () => {
      const challenge = await this.locked(id, null, 'recount');
      if (!isCountedFromTrainings(challenge.metric))
        throw conflict('Only the scores of WORKOUTS and MINUTES challenges are counted from trainings.');
      return { participants: await markParticipants(this.unit, challenge) };
    });
  }

  /** @throws NOT_FOUND, FORBIDDEN, VERSION_CONFLICT; CONFLICT for a challenge that has ended */
  private async locked(
    id: string,
    expectedVersion: number | null | undefined,
    verb: string,
  ): Promise<Challenge> {
    const { viewer } = this.unit;
    requireUser(viewer);
    const challenge = await lockedForChange(this.unit, Challenge, {
      what: 'challenge',
      id,
      expectedVersion,
      decide: (stored) =>
        requireManage(viewer, 'challenge', stored, `Only the staff of the gym may ${verb} a challenge.`),
    });
    if (challenge.endsAt.getTime() <= Date.now())
      throw conflict('This challenge has ended; its final leaderboard is kept.');
    return challenge;
  }

  /** Sets the recurrence and its time zone. The series begins again if the challenge is moved, or if it did not recur before. */
  private async plan(
    challenge: Challenge,
    { recurrence, timezone }: Pick<ChallengeChange, 'recurrence' | 'timezone'>,
    isMoved: boolean,
  ): Promise<void> {
    const startsToRecur = !challenge.recurrence;
    if (recurrence !== undefined) challenge.recurrence = recurrence;
    if (!challenge.recurrence) {
      challenge.timezone = null;
      return;
    }
    const { startsAt, endsAt } = challenge;
    if (endsAt.getTime() - startsAt.getTime() > LONGEST_MONTH_MILLIS)
      throw invalid(
        'recurrence',
        'expected a challenge of at most 31 days, because it is repeated every month',
      );
    challenge.timezone = timezone ?? challenge.timezone ?? (await timeZoneOf(this.unit, challenge.gymId));
    if (!isMoved && !startsToRecur) return;
    // An earlier recurrence has made the next challenge. It is made again only if that one is no longer stored.
    if (startsToRecur && challenge.continuedAt && !(await this.hasNext(challenge)))
      challenge.continuedAt = null;
    challenge.seriesStartsAt = startsAt;
    challenge.seriesEndsAt = endsAt;
    challenge.seriesIndex = 0;
  }

  /** Whether a later challenge of its series is stored. */
  private async hasNext({
    id,
    gymId,
    seriesStartsAt,
    seriesEndsAt,
    seriesIndex,
  }: Challenge): Promise<boolean> {
    const found = await this.unit.run<unknown>(
      `select 1 from challenge where gym_id = ? and id <> ? and series_starts_at = ? and series_ends_at = ? and series_index > ?
       limit 1`,
      [gymId, id, seriesStartsAt, seriesEndsAt, seriesIndex],
    );
    return found.length > 0;
  }

  private audited({ id, gymId, title }: Challenge, action: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    return audit(this.unit, { gymId, actorId: userId, action, details: { challengeId: id, title } });
  }
}

/**
 * @throws CONFLICT if the challenge has begun, and its metric or its beginning would change; VALIDATION_FAILED if the beginning of
 * a coming challenge would become a time in the past
 */
function checkChange(challenge: Challenge, { metric, startsAt }: ChallengeChange): void {
  const isMoved = Boolean(startsAt) && Date.parse(startsAt ?? '') !== challenge.startsAt.getTime();
  if (challenge.startsAt.getTime() > Date.now()) {
    // If the beginning became a time in the past, what has happened since then would have to be counted afterwards.
    if (isMoved && Date.parse(startsAt ?? '') <= Date.now())
      throw invalid('startsAt', 'expected a time in the future');
    return;
  }
  const fixed = [
    ...(metric && metric !== challenge.metric ? ['metric'] : []),
    ...(isMoved ? ['startsAt'] : []),
  ];
  if (fixed.length > 0)
    throw conflict(`This challenge is running: its ${fixed.join(' and its ')} cannot be changed any more.`, {
      errors: fixed.map((path) => ({ path, message: 'is fixed once the challenge has begun' })),
    });
}

function checkTimes({ startsAt, endsAt }: Challenge, isEndChanged: boolean): void {
  if (startsAt >= endsAt) throw invalid('endsAt', 'expected a time after startsAt');
  if (isEndChanged && endsAt.getTime() <= Date.now())
    throw invalid('endsAt', 'expected a time in the future; delete the challenge to end it now');
}
