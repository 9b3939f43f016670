import { z } from 'zod';
import { day, instant, uuid } from '#server/shapes.ts';

const timeOrDay = z
  .union([instant, day], 'expected a time such as 2026-01-31T18:00:00Z, or a day such as 2026-01-31')
  .nullish();

/** The rule checks the filter, because the graph passes any text. */
export const FirstVisitsFilter = z.object({
  gymId: uuid('expected the id of a gym').nullish(),
  from: timeOrDay.meta({
    description: 'A time, or a local day at the location; inclusive. Default: now.',
  }),
  to: timeOrDay.meta({
    description:
      'A time (exclusive), or a local day at the location (inclusive). Default: a week after `from`; at most 92 days after it.',
  }),
});

export const FirstVisitShape = z
  .object({
    id: uuid(),
    userId: uuid(),
    locationId: uuid(),
    startsAt: z.iso.datetime(),
    endsAt: z.iso.datetime(),
  })
  .meta({ id: 'FirstVisit' });
export type FirstVisitShape = z.infer<typeof FirstVisitShape>;
