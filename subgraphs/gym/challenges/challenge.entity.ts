import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';

export const ChallengeMetric = {
  /** Visits during the challenge; counted automatically. */
  CHECK_INS: 'CHECK_INS',
  /** Trainings that began during the challenge; counted automatically. */
  WORKOUTS: 'WORKOUTS',
  /** The minutes of these trainings; counted automatically. */
  MINUTES: 'MINUTES',
  CUSTOM: 'CUSTOM',
} as const;
export type ChallengeMetric = (typeof ChallengeMetric)[keyof typeof ChallengeMetric];

export const Recurrence = {
  /** Every month, at the same day and local time. */
  MONTHLY: 'MONTHLY',
} as const;
export type Recurrence = (typeof Recurrence)[keyof typeof Recurrence];

const ChallengeSchema = defineEntity({
  name: 'Challenge',
  tableName: 'challenge',
  indexes: [
    { properties: ['gymId', 'endsAt', 'id'] },
    { properties: ['gymId', 'startsAt', 'id'] },
    // for the challenges that have begun and have no next one yet
    {
      name: 'challenge_to_continue',
      expression:
        'create index "challenge_to_continue" on "challenge" ("starts_at") where "recurrence" is not null and "continued_at" is null',
    },
    // for the challenges whose end has not been announced
    {
      name: 'challenge_end_not_announced',
      expression:
        'create index "challenge_end_not_announced" on "challenge" ("ends_at") where "end_announced_at" is null',
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('restrict'),
    title: p.string().length(120),
    metric: p.string().length(16).$type<ChallengeMetric>(),
    goal: p.integer(),
    startsAt: p.datetime(),
    endsAt: p.datetime(),
    /** Null: there is no next challenge. */
    recurrence: p.string().length(16).$type<Recurrence>().nullable(),
    /** The time zone in which the next times are computed; null without a recurrence. */
    timezone: p.string().length(64).nullable(),
    /**
     * The times of the first challenge of the series, from which the times of all others are computed: a challenge that begins on
     * the 31st begins on the last day of a shorter month, and on the 31st again after it.
     */
    seriesStartsAt: p.datetime().nullable(),
    seriesEndsAt: p.datetime().nullable(),
    /** How many months after the first challenge of its series this one is. */
    seriesIndex: p.integer().default(0),
    /** When the next challenge was made; null until then. */
    continuedAt: p.datetime().nullable(),
    /** When the event `challenge.ended` was written; null until then. */
    endAnnouncedAt: p.datetime().nullable(),
    /** Increases with every change. */
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Challenge extends ChallengeSchema.class {}
ChallengeSchema.setClass(Challenge);

const ParticipantSchema = defineEntity({
  name: 'Participant',
  tableName: 'challenge_participant',
  indexes: [
    {
      // For the leaderboard. All keys have the same direction, so that each page begins with an index look-up.
      name: 'challenge_participant_ranking',
      expression:
        'create index "challenge_participant_ranking" on "challenge_participant" ("challenge_id", (-"score"), "reached_at", "user_id")',
    },
    { properties: ['userId', 'challengeId'] },
    // for the scores that must be counted from trainings
    {
      name: 'challenge_participant_recount',
      expression:
        'create index "challenge_participant_recount" on "challenge_participant" ("recount_at") where "recount_at" is not null',
    },
  ],
  properties: {
    challengeId: () =>
      p.manyToOne(Challenge).primary().mapToPk().joinColumn('challenge_id').deleteRule('cascade'),
    userId: p.uuid().primary(),
    score: p.integer().default(0),
    /** When the score was reached. Of equal scores, the earlier one ranks higher. */
    reachedAt: p.datetime(),
    joinedAt: p.datetime(),
    /** The mark: identifies the last change after which the score must be counted from trainings; null once it is counted. */
    recountMark: p.uuid().nullable(),
    /**
     * When the score must be counted, if it has a mark. In the future if a training that ends then will change the score, or if
     * the content service has refused to count it.
     */
    recountAt: p.datetime().nullable(),
  },
});

export class Participant extends ParticipantSchema.class {}
ParticipantSchema.setClass(Participant);

/** The number of participants with each score. A trigger maintains it, so that a rank is a sum over scores instead of participants. */
const ScoreCountSchema = defineEntity({
  name: 'ScoreCount',
  tableName: 'challenge_score_count',
  properties: {
    challengeId: () =>
      p.manyToOne(Challenge).primary().mapToPk().joinColumn('challenge_id').deleteRule('cascade'),
    score: p.integer().primary(),
    participants: p.integer(),
  },
});

export class ScoreCount extends ScoreCountSchema.class {}
ScoreCountSchema.setClass(ScoreCount);
