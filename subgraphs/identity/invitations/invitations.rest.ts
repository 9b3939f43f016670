import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { UserShape } from '../users/users.shapes.ts';
import type { Invitations } from './invitations.ts';
import { InviteShape } from './invitations.shapes.ts';

const route = restRoute<{ invitations: Invitations }>();

export const invitationsRest = [
  route({
    method: 'POST',
    path: '/invitations',
    summary:
      'Make an account for somebody, who sets her password by a mail (GYM_ADMIN, SUPER_ADMIN, services)',
    description: 'A GYM_ADMIN invites members into her gym.',
    auth: 'required',
    body: InviteShape,
    success: { status: 201, description: 'The new user; the mail follows.', shape: UserShape },
    errors: ['FORBIDDEN', 'CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body }, { invitations }) => invitations.invite(body),
  }),
  route({
    method: 'DELETE',
    path: '/invitations/:id',
    summary: 'Undo an invitation that has not been accepted (SUPER_ADMIN, services)',
    description: '`:id` is that of the invited user.',
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The account is gone.' },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params }, { invitations }) => invitations.withdraw(params.id),
  }),
];
