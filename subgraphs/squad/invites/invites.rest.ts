import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Invites } from './invites.ts';
import { InviteShape, RespondToInviteShape, SendInviteShape } from './invites.shapes.ts';

const route = restRoute<{ invites: Invites }>(TAGS.invites, 'squad');

export const invitesRest = [
  route({
    method: 'GET',
    path: '/invites',
    operationId: 'listInvites',
    summary: 'Invites to the caller, or from them',
    auth: 'required',
    query: pageQuery.extend({
      box: z
        .enum(['received', 'sent'], 'expected received or sent')
        .default('received')
        .meta({ description: 'received: invites to the caller; sent: invites from them.' }),
    }),
    success: { status: 200, description: 'Newest first.', shape: InviteShape, page: true },
    handler: ({ query: { box, ...page } }, { invites }) => invites.list(box, page),
  }),
  route({
    method: 'POST',
    path: '/invites',
    operationId: 'sendInvite',
    summary: 'Invite another user to train together',
    description:
      'Without a `squadId` the invite is for a LOBBY of which the caller is the host and that nobody else has entered; a LOBBY is opened if there is none. If the caller has an open invite to the same user and squad, it is returned.',
    auth: 'required',
    body: SendInviteShape,
    success: { status: 201, description: 'The invite, open for ten minutes.', shape: InviteShape },
    errors: ['NOT_FOUND', 'CONFLICT', 'SQUAD_ENDED', 'SQUAD_LIMIT', 'GYM_REQUIRED', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ body }, { invites }) => invites.send(body),
  }),
  route({
    method: 'POST',
    path: '/invites/:id/respond',
    operationId: 'respondToInvite',
    summary: 'Accept or decline an invite',
    description:
      'Once the caller has accepted, they may join until the squad ends, or until they leave it or are removed. Joining is a separate request. When a squad ends, its open invites are revoked.',
    auth: 'required',
    params: idParams,
    body: RespondToInviteShape.omit({ inviteId: true }).meta({ graphType: 'RespondToSquadInviteInput' }),
    success: { status: 200, description: 'The invite with its new status.', shape: InviteShape },
    errors: ['INVITE_CLOSED'],
    handler: ({ params, body }, { invites }) => invites.respond({ ...body, inviteId: params.id }),
  }),
  route({
    method: 'DELETE',
    path: '/invites/:id',
    operationId: 'revokeInvite',
    summary: 'Revoke an invite that the caller has sent',
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The invite is revoked.' },
    errors: ['FORBIDDEN', 'INVITE_CLOSED'],
    handler: ({ params }, { invites }) => invites.revoke(params.id),
  }),
];
