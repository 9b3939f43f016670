import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { AVAILABILITY_RATE } from '../rates.ts';
import type { Availability } from './availability.ts';
import { AvailabilityShape, CheckAvailabilityShape } from './availability.shapes.ts';

const route = restRoute<{ availability: Availability }>(TAGS.availability);

export const availabilityRest = [
  route({
    method: 'GET',
    path: '/check-availability',
    operationId: 'checkAvailability',
    summary: 'Whether a name, a slug, an email or a slot for a first visit is available',
    description:
      'A slot is named `<locationId>@<start>`, and is the half hour that contains that start. Its places are those of the class session of "First visit" at that time (none if staff have cancelled it), or of the class if it has no session yet; at first the class has as many places as the location\'s capacity, and staff can change them. The slot must be within the opening hours, must not have begun, and must be at most 90 days ahead. `reserve=true` reserves an available value for 15 minutes for the wizard session `sessionId`, which needs its access token or `X-Resume-Token`. A wizard session can reserve one value of each resource; names and slugs of gyms only in a session of GYM_SETUP. A member can reserve one slot.',
    auth: 'optional',
    query: CheckAvailabilityShape,
    rateLimit: AVAILABILITY_RATE,
    success: {
      status: 200,
      description:
        'Whether the value is available; if not, the reason and similar values that are available.',
      shape: AvailabilityShape,
    },
    errors: ['NOT_FOUND', 'CONFLICT', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ query, header }, { availability }) => availability.check(query, header('x-resume-token')),
  }),
];
