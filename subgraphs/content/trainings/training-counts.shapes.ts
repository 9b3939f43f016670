import { z } from 'zod';
import { instant, uuid } from '#server/shapes.ts';

/** The maximum number of ranges. They fit into the URL: Node accepts 16 KiB for the URL and all headers together. */
export const MAX_COUNTS = 100;

const expected =
  'expected <user id>/<from>/<to>, e.g. 01900000-0000-7000-8000-000000000001/2026-11-01T00:00:00Z/2026-12-01T00:00:00Z';

/** One user and a time range, in which their trainings are counted. */
const CountedRange = z
  .string()
  .transform((text) => text.split('/'))
  .pipe(z.tuple([uuid(expected), instant, instant], expected))
  .transform(([userId, from, to]) => ({ userId, from: new Date(from), to: new Date(to) }));
export type CountedRange = z.infer<typeof CountedRange>;

const CountedRanges = z
  .string()
  .max(16_000)
  .transform((text) => text.split(','))
  .pipe(z.array(CountedRange).max(MAX_COUNTS, `expected at most ${MAX_COUNTS} ranges`));

export const TrainingCountsQuery = z.object({
  of: CountedRanges.meta({
    description: `Users with time ranges, as \`<user id>/<from>/<to>\`, separated by commas; at most ${MAX_COUNTS}. Times are ISO 8601; \`from\` is included, \`to\` is not.`,
  }),
});

export const TrainingCountShape = z
  .object({
    trainings: z.int().meta({ description: 'The number of trainings in the range that have ended.' }),
    minutes: z.int().meta({ description: 'Their minutes. Trainings that overlap count once.' }),
    reachedAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the last of them ended; null if there is none.' }),
    changesAt: z.iso.datetime().nullable().meta({
      description:
        'When the next training that has not ended yet will end, and so be counted; null if there is none.',
    }),
  })
  .meta({ id: 'TrainingCount' });
export type TrainingCountShape = z.infer<typeof TrainingCountShape>;
