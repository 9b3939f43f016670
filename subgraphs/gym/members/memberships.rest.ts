import { MembershipEndShape } from '#server/accounts/membership-end.shapes.ts';
import { IDENTITY_ONLY } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import type { EndedMemberships } from './membership-ended.ts';

const route = restRoute<{ endedMemberships: EndedMemberships }>(INTERNAL);

/** The limit is high, because a gym may end many memberships at once, each with a request. */
const RATE = { name: 'ended-memberships', perMinute: 6_000, by: 'caller' } as const;

export const endedMembershipsRest = [
  route({
    method: 'POST',
    path: '/memberships/ended',
    operationId: 'endMembershipAtGym',
    summary: 'End what a membership allowed in this service',
    only: IDENTITY_ONLY,
    description:
      'Ends the open visit of the user, and removes them from challenges that have not ended. If the user has not joined again (`before` is null), their bookings of coming sessions and their PLACED orders are cancelled, too. A repeated call changes nothing.',
    auth: 'required',
    rateLimit: RATE,
    body: MembershipEndShape,
    success: { status: 204, description: 'What the membership allowed has ended.' },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { endedMemberships }) => endedMemberships.end(body),
  }),
];
