import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { gymQuery, instant, timezone, uuid, versionNumber, visibleText } from '#server/shapes.ts';
import { ChallengeMetric, Recurrence } from './challenge.entity.ts';

export const ChallengeShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    title: z.string(),
    metric: z.enum(ChallengeMetric),
    goal: z.int(),
    startsAt: z.iso.datetime(),
    endsAt: z.iso.datetime(),
    recurrence: z.enum(Recurrence).nullable(),
    timezone: z.string().nullable(),
    version: z.int(),
    joined: z.boolean(),
    score: z.int().nullable(),
  })
  .meta({ id: 'Challenge' });
export type ChallengeShape = z.infer<typeof ChallengeShape>;

/** The challenge itself, without the viewer's part in it. */
export const ChallengeRow = ChallengeShape.omit({ joined: true, score: true }).meta({ id: 'ChallengeOfGym' });

export type ChallengeRow = z.infer<typeof ChallengeRow>;

export const LeaderboardEntryShape = z
  .object({ rank: z.int(), userId: uuid(), score: z.int(), reachedAt: z.iso.datetime() })
  .meta({ id: 'LeaderboardEntry' });
export type LeaderboardEntryShape = z.infer<typeof LeaderboardEntryShape>;

const metric = z.enum(ChallengeMetric, `expected one of ${Object.values(ChallengeMetric).join(', ')}`);
const goal = z.int().min(1).max(1_000_000);
const recurrence = z.enum(Recurrence, `expected one of ${Object.values(Recurrence).join(', ')}, or null`);

export const CreateChallengeInput = z
  .object({
    gymId: uuid().nullish(),
    title: visibleText(120),
    metric,
    goal,
    startsAt: instant,
    endsAt: instant,
    recurrence: recurrence.nullish(),
    timezone: timezone.nullish(),
  })
  .refine(({ startsAt, endsAt }) => !(Date.parse(startsAt) >= Date.parse(endsAt)), {
    path: ['endsAt'],
    message: 'expected a time after startsAt',
  })
  .meta({ graphType: 'CreateChallengeInput' });

/** Fields that are absent or null are unchanged, but `recurrence: null` ends the recurrence. */
export const UpdateChallengeInput = z
  .object({
    title: visibleText(120).nullish(),
    metric: metric.nullish(),
    goal: goal.nullish(),
    startsAt: instant.nullish(),
    endsAt: instant.nullish(),
    recurrence: recurrence.nullish(),
    timezone: timezone.nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateChallengeInput' });
export type ChallengeChange = z.infer<typeof UpdateChallengeInput>;

export const ChallengeStatus = { ACTIVE: 'ACTIVE', UPCOMING: 'UPCOMING', ENDED: 'ENDED' } as const;
export type ChallengeStatus = (typeof ChallengeStatus)[keyof typeof ChallengeStatus];

const status = z.enum(ChallengeStatus, `expected one of ${Object.values(ChallengeStatus).join(', ')}`);

export const ChallengesQuery = pageQuery.extend({
  status: status.optional().meta({
    description: 'ACTIVE: those that run now; UPCOMING: those that have not begun; ENDED. Default: ACTIVE.',
  }),
  ...gymQuery.shape,
});

/** Which challenges a list contains. The rules validate it for all doors. */
export const ChallengesFilter = z.object({
  status: status.nullish().transform((given) => given ?? ChallengeStatus.ACTIVE),
  gymId: uuid('expected the id of a gym').nullish(),
});

export const RecountShape = z
  .object({ participants: z.int().meta({ description: 'The number of scores that are counted again.' }) })
  .meta({ id: 'ChallengeRecount' });
export type RecountShape = z.infer<typeof RecountShape>;

export const ProgressInput = z.object({
  amount: z.int('expected a whole number from -100000 to 100000').min(-100_000).max(100_000).meta({
    description: 'By how much the score increases: 1 to 100,000; with `userId` also negative, to reduce it.',
  }),
  userId: uuid('expected the id of a user')
    .nullish()
    .meta({ description: 'Whose score staff correct. Default: the caller.' }),
});
