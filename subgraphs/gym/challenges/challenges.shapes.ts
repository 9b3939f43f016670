import { z } from 'zod';
import { instant, visibleText } from '#server/shapes.ts';
import { ChallengeMetric } from './challenge.entity.ts';

export const ChallengeShape = z
  .object({
    id: z.uuid(),
    gymId: z.uuid(),
    title: z.string(),
    metric: z.enum(ChallengeMetric),
    goal: z.int(),
    startsAt: z.iso.datetime(),
    endsAt: z.iso.datetime(),
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
  .object({ rank: z.int(), userId: z.uuid(), score: z.int(), reachedAt: z.iso.datetime() })
  .meta({ id: 'LeaderboardEntry' });
export type LeaderboardEntryShape = z.infer<typeof LeaderboardEntryShape>;

export const CreateChallengeInput = z
  .object({
    gymId: z.uuid().nullish(),
    title: visibleText(120),
    metric: z.enum(ChallengeMetric, `expected one of ${Object.values(ChallengeMetric).join(', ')}`),
    goal: z.int().min(1).max(1_000_000),
    startsAt: instant,
    endsAt: instant,
  })
  .refine(({ startsAt, endsAt }) => !(Date.parse(startsAt) >= Date.parse(endsAt)), {
    path: ['endsAt'],
    message: 'expected a time after startsAt',
  })
  .meta({ graphType: 'CreateChallengeInput' });

export const ProgressInput = z.object({
  amount: z
    .int('expected a whole number from 1 up')
    .min(1, 'expected a whole number from 1 up')
    .max(100_000)
    .meta({ description: 'By how much the score increases: 1 to 100,000.' }),
});
