import { z } from 'zod';
import { callers, GYM_STAFF, SERVICES } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE, SERVICE_RATE } from '../rates.ts';
import type { MemberStates } from './member-states.ts';
import type { Memberships } from './memberships.ts';
import { UserShape } from '../users/users.shapes.ts';
import { MembershipsQuery, MemberStateShape, SetMembershipShape } from './memberships.shapes.ts';

const route = restRoute<{ memberStates: MemberStates; memberships: Memberships }>(TAGS.memberships);

export const membershipsRest = [
  route({
    method: 'PUT',
    path: '/users/:id/membership',
    operationId: 'setUserMembership',
    summary: 'Change the membership of a user',
    only: GYM_STAFF,
    scopes: ['members:write'],
    description:
      'PENDING can become ACTIVE or ENDED, ACTIVE can become FROZEN or ENDED, FROZEN can become ACTIVE or ENDED, and ENDED can become ACTIVE. If the status is the same as before, which is not possible for PENDING, only `until` and `reason` change. At `until`, FROZEN becomes ACTIVE again, and ACTIVE becomes ENDED; absent or null: never. The change is audited. When a membership ends, the open visit of the user ends, their bookings of coming sessions and their PLACED orders are cancelled, they leave challenges and squads, and their access tokens with the gym are refused within 5 s. Nobody changes their own membership; that of a GYM_ADMIN is changed by a SUPER_ADMIN.',
    auth: 'required',
    params: idParams,
    body: SetMembershipShape,
    success: {
      status: 200,
      description: 'The changed user.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ params, body }, { memberships }) => memberships.set(params.id, body),
  }),
  route({
    method: 'POST',
    path: '/gyms/:id/join',
    operationId: 'joinGym',
    summary: 'Join a gym, or apply to it',
    only: callers('MEMBER', 'MEMBER'),
    description:
      "For users without a gym. By the gym's policy, the membership is ACTIVE at once, or PENDING until the email is verified or the staff agree. A refresh returns an access token with the gym.",
    auth: 'required',
    params: idParams,
    rateLimit: AUTH_RATE,
    success: {
      status: 201,
      description: 'The user, with their membership.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT', 'INVITATION_REQUIRED', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ params }, { memberships }) => memberships.join(params.id),
  }),
  route({
    method: 'GET',
    path: '/memberships',
    operationId: 'listMemberships',
    summary: 'The memberships of users at this moment',
    only: SERVICES,
    auth: 'required',
    query: MembershipsQuery,
    rateLimit: SERVICE_RATE,
    success: {
      status: 200,
      description: 'The users that exist, in no order.',
      shape: z.array(MemberStateShape),
    },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { memberStates }) => memberStates.of(query.userIds),
  }),
];
