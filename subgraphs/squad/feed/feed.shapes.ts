import { z } from 'zod';

export const FeedKind = {
  POST: 'POST',
  ANNOUNCEMENT: 'ANNOUNCEMENT',
  SQUAD_FINISHED: 'SQUAD_FINISHED',
  GROUP_CREATED: 'GROUP_CREATED',
} as const;
export type FeedKind = (typeof FeedKind)[keyof typeof FeedKind];

export const FeedItemShape = z
  .object({
    id: z.string(),
    kind: z.enum(FeedKind),
    at: z.iso.datetime(),
    userId: z.string().nullable().meta({
      description:
        'The user who wrote or did it; null for an announcement by a user whom the caller may not see.',
    }),
    title: z.string().nullable(),
    text: z.string(),
    image: z.string().nullable(),
    participantIds: z
      .array(z.string())
      .meta({ description: 'All participants of a squad workout; empty for other entries.' }),
    groupId: z.string().nullable().meta({ description: 'The founded club; null for other entries.' }),
  })
  .meta({ id: 'FeedItem' });
export type FeedItemShape = z.infer<typeof FeedItemShape>;

/** An entry with the gym of its feed; null: the viewer's own. */
export interface FeedItemOfGym extends FeedItemShape {
  readonly gymId: string | null;
}
