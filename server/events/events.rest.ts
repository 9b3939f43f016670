import { callers } from '../rest/callers.ts';
import { restRoute, type ApiTag } from '../rest/route.ts';
import { EventPageShape, EventsQuery } from './events.shapes.ts';
import type { EventFeed } from './feed.ts';

const EVENTS: ApiTag = {
  name: 'Events',
  description: 'What has happened in a gym, for integrators.',
};
const route = restRoute<{ events: EventFeed }>(EVENTS);

/** The route of a service's feed of events; it is the same in every service with events. */
export const eventsRest = [
  route({
    method: 'GET',
    path: '/events',
    operationId: 'listEvents',
    summary: 'The feed of public events, in the order of their publication',
    description:
      "A gym's events, and those of things that belong to all gyms. Send `next` of each answer as `after` of the next request: no event is missed, and none comes twice. Events are kept for 30 days. The feed of the gym service has the events of all services, at most 2 seconds later. A machine client gets the types whose resource its scopes let it read.",
    only: callers(
      'GYM_ADMIN: of their gym; SUPER_ADMIN and services: all',
      'GYM_ADMIN',
      'SUPER_ADMIN',
      'SERVICE',
    ),
    scopes: ['events:read'],
    auth: 'required',
    query: EventsQuery,
    success: { status: 200, description: 'Events, and the cursor after them.', shape: EventPageShape },
    errors: ['GYM_REQUIRED', 'CURSOR_EXPIRED'],
    handler: ({ query: { types, ...query } }, { events }) =>
      events.read({ ...query, types: types?.split(',').map((name) => name.trim()) }),
  }),
];
