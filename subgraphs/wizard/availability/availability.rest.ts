import { restRoute } from '#server/rest/route.ts';
import type { Availability } from './availability.ts';
import { AvailabilityShape, CheckAvailabilityShape } from './availability.shapes.ts';

const route = restRoute<{ availability: Availability }>();

/** Somebody who tries out which addresses and names are taken asks for many: one limit for both doors. */
export const AVAILABILITY_RATE = { name: 'availability', perMinute: 20, by: 'address' } as const;

export const availabilityRest = [
  route({
    method: 'GET',
    path: '/check-availability',
    summary: 'Whether a name, a slug, an email or a first visit can still be had',
    description:
      'A slot is the half hour that `<locationId>@<start>` lies in: as many may come in it as the location takes, within its opening hours, at most 90 days ahead. `reserve=true` holds what is available for the session (`sessionId`, opened by token or `X-Resume-Token`) for 15 minutes; of each resource a session holds one value, and a member one slot.',
    auth: 'optional',
    query: CheckAvailabilityShape,
    rateLimit: AVAILABILITY_RATE,
    success: { status: 200, description: 'Available or not, why, and what is.', shape: AvailabilityShape },
    errors: ['CONFLICT', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ query, header }, { availability }) => availability.check(query, header('x-resume-token')),
  }),
];
