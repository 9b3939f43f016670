import { pageQuery } from '#server/paging.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Feed } from './feed.ts';
import { FeedItemShape } from './feed.shapes.ts';

const route = restRoute<{ feed: Feed }>(TAGS.feed, 'feed');

export const feedRest = [
  route({
    method: 'GET',
    path: '/feed',
    operationId: 'listFeed',
    summary: "What happens in the caller's gym",
    description:
      'Posts and announcements of the gym, and the activities of its squads and clubs. If the gym service does not answer, the feed contains the activities only, and the answer has the header `Incomplete: gym`; try again in a moment.',
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape),
    success: { status: 200, description: 'Newest first.', shape: FeedItemShape, page: true },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query: { gymId, ...page } }, { feed }) => feed.list(gymId, page),
  }),
];
