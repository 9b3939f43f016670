import { pageQuery } from '#server/paging.ts';
import { callers } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE } from '../rates.ts';
import type { Invitations } from './invitations.ts';
import { InvitationShape, InvitedUserShape, InviteUserInput } from './invitations.shapes.ts';

const route = restRoute<{ invitations: Invitations }>(TAGS.invitations);

export const invitationsRest = [
  route({
    method: 'POST',
    path: '/invitations',
    operationId: 'inviteUser',
    summary: 'Invite a user: create an account whose password they set with a mailed token',
    only: callers('GYM_ADMIN, SUPER_ADMIN, services', 'GYM_ADMIN', 'SUPER_ADMIN', 'SERVICE'),
    description:
      'A GYM_ADMIN invites members into their gym. A member who has an account without a gym gets a mail, and accepts by `POST /gyms/:id/join` with a verified email; the answer then has only what was sent, and an id of the invitation.',
    auth: 'required',
    body: InviteUserInput,
    success: {
      status: 201,
      description:
        'The new user; only what was sent, if the user has an account already. The mail is sent afterwards.',
      shape: InvitedUserShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body }, { invitations }) => invitations.invite(body),
  }),
  route({
    method: 'GET',
    path: '/invitations',
    operationId: 'listInvitations',
    summary: 'Open invitations, the oldest first',
    only: callers('GYM_ADMIN: of their gym; SUPER_ADMIN: all', 'GYM_ADMIN', 'SUPER_ADMIN'),
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape),
    success: {
      status: 200,
      description: 'The oldest first.',
      shape: InvitationShape,
      page: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { invitations }) => invitations.list({ gymId: query.gymId }, query),
  }),
  route({
    method: 'POST',
    path: '/invitations/:id/resend',
    operationId: 'resendInvitation',
    summary: 'Send the mail of an invitation again',
    only: callers('GYM_ADMIN of its gym, SUPER_ADMIN, services', 'GYM_ADMIN', 'SUPER_ADMIN', 'SERVICE'),
    description:
      '`:id` is the id of the invitation. The mail to a user without a password has a new token; the tokens of earlier mails work until they expire. At most five mails per hour are sent for an invitation.',
    auth: 'required',
    params: idParams,
    rateLimit: AUTH_RATE,
    success: { status: 202, description: 'The mail is sent afterwards.', shape: InvitationShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params }, { invitations }) => invitations.resend(params.id),
  }),
  route({
    method: 'DELETE',
    path: '/invitations/:id',
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an invitation that has not been accepted',
    only: callers('GYM_ADMIN of its gym, SUPER_ADMIN, services', 'GYM_ADMIN', 'SUPER_ADMIN', 'SERVICE'),
    description: '`:id` is the id of the invitation.',
    auth: 'required',
    params: idParams,
    success: {
      status: 204,
      description: 'It can no longer be accepted; an account without a password is deleted.',
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params }, { invitations }) => invitations.withdraw(params.id),
  }),
];
