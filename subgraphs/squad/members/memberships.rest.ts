import { MembershipEndShape } from '#server/accounts/membership-end.shapes.ts';
import { IDENTITY_ONLY } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import type { EndedMemberships } from './membership-ended.ts';

const route = restRoute<{ endedMemberships: EndedMemberships }>(INTERNAL);

/** Requests per minute: a gym may end many memberships at once. */
const RATE = { name: 'ended-memberships', perMinute: 6_000, by: 'caller' } as const;

export const endedMembershipsRest = [
  route({
    method: 'POST',
    path: '/memberships/ended',
    operationId: 'endMembershipAtSquad',
    summary: 'End what a membership allowed in this service',
    only: IDENTITY_ONLY,
    description:
      'Ends the presence of the user in the gym; they leave its open squads, and their open invites are closed. A repeated call changes nothing.',
    auth: 'required',
    rateLimit: RATE,
    body: MembershipEndShape,
    success: { status: 204, description: 'It has ended.' },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { endedMemberships }) => endedMemberships.end(body),
  }),
];
