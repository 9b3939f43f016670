import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { pageQuery } from '#server/paging.ts';
import { MAX_INTEGER, idParams } from '#server/shapes.ts';
import type { Squads } from './squads.ts';
import {
  CreateSquadShape,
  SquadEventShape,
  SquadMemberShape,
  SquadShape,
  UpdateWorkoutShape,
} from './squads.shapes.ts';

const route = restRoute<{ squads: Squads }>();
const session = { status: 200, description: 'The session as it is now.', shape: SquadShape } as const;

export const squadsRest = [
  route({
    method: 'GET',
    path: '/squads',
    summary: 'The open squads that the caller takes part in',
    auth: 'required',
    query: pageQuery,
    success: { status: 200, description: 'Newest first.', shape: SquadShape, page: true },
    handler: ({ query }, { squads }) => squads.minePage(query),
  }),
  route({
    method: 'POST',
    path: '/squads',
    summary: 'Open a squad; the caller is its host',
    auth: 'required',
    description:
      'It trains the version that the routine has now. At most 5 open squads of one host. A LOBBY ends by itself after an hour without anybody.',
    body: CreateSquadShape,
    success: { status: 201, description: 'The session, in LOBBY.', shape: SquadShape },
    errors: ['GYM_REQUIRED', 'SQUAD_LIMIT', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ body }, { squads }) => squads.create(body),
  }),
  route({
    method: 'GET',
    path: '/squads/:id',
    summary: 'A session',
    description: 'For participants. To all other users, invited or not, it does not exist.',
    auth: 'required',
    params: idParams,
    success: session,
    handler: ({ params }, { squads }) => squads.get(params.id),
  }),
  route({
    method: 'GET',
    path: '/squads/:id/events',
    summary: 'What has happened in a session after a revision',
    auth: 'required',
    params: idParams,
    query: z.object({
      fromRevision: z.coerce.number('expected a revision').int().min(0).max(MAX_INTEGER).default(0),
    }),
    success: {
      status: 200,
      description:
        'The session, and the events in order; `complete: false` if the oldest are no longer kept.',
      shape: z.object({ session: SquadShape, missed: z.array(SquadEventShape), complete: z.boolean() }),
    },
    handler: ({ params, query }, { squads }) => squads.replay(params.id, query.fromRevision),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/join',
    summary: 'Enter a squad that the caller is invited to',
    auth: 'required',
    params: idParams,
    success: session,
    errors: ['SQUAD_ENDED', 'SQUAD_FULL'],
    handler: async ({ params }, { squads }) => (await squads.join({ squadId: params.id })).session,
  }),
  route({
    method: 'POST',
    path: '/squads/:id/leave',
    summary: 'Leave a squad',
    description:
      'If the host leaves, the participant who is there longest becomes host. If the last one leaves, the squad ends. To return, also a former host needs a new invite.',
    auth: 'required',
    params: idParams,
    success: session,
    handler: ({ params }, { squads }) => squads.leave({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/start',
    summary: 'Start the workout, or go on after a pause (host)',
    auth: 'required',
    params: idParams,
    success: session,
    errors: ['FORBIDDEN', 'SQUAD_ENDED'],
    handler: ({ params }, { squads }) => squads.start({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/pause',
    summary: 'Pause the workout (host)',
    auth: 'required',
    params: idParams,
    success: session,
    errors: ['FORBIDDEN', 'SQUAD_ENDED', 'CONFLICT'],
    handler: ({ params }, { squads }) => squads.pause({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/end',
    summary: 'End the workout (host)',
    description: "It goes into everybody's history.",
    auth: 'required',
    params: idParams,
    success: session,
    errors: ['FORBIDDEN'],
    handler: ({ params }, { squads }) => squads.end({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/kick',
    summary: 'Put a participant out, or take an invitee the right to enter (host)',
    description: 'They need a new invite to come in again.',
    auth: 'required',
    params: idParams,
    body: SquadMemberShape.omit({ squadId: true }),
    success: session,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SQUAD_ENDED'],
    handler: ({ params, body }, { squads }) => squads.kick({ ...body, squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/host',
    summary: 'Make another participant the host (host)',
    auth: 'required',
    params: idParams,
    body: SquadMemberShape.omit({ squadId: true }),
    success: session,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SQUAD_ENDED'],
    handler: ({ params, body }, { squads }) => squads.makeHost({ ...body, squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/workout',
    summary: "Store the caller's progress in the workout",
    description:
      'The first update of anybody starts a squad that is in LOBBY. An `eventId` that was sent before changes nothing, an update that comes late moves nobody back, and a set that was done before is corrected and not counted again.',
    auth: 'required',
    params: idParams,
    body: UpdateWorkoutShape.omit({ squadId: true }),
    success: {
      status: 200,
      description: 'The revision that it made.',
      shape: z.object({ revision: z.int(), session: SquadShape }),
    },
    errors: ['CONFLICT', 'SQUAD_ENDED', 'SQUAD_PAUSED', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ params, body }, { squads }) => squads.updateWorkout({ ...body, squadId: params.id }),
  }),
];
