import { z } from 'zod';
import { callers } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { pageQuery } from '#server/paging.ts';
import { MAX_INTEGER, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Squads } from './squads.ts';
import {
  CreateSquadShape,
  SquadEventShape,
  SquadMemberShape,
  SquadShape,
  UpdateWorkoutShape,
} from './squads.shapes.ts';

const route = restRoute<{ squads: Squads }>(TAGS.squads, 'squad');
const HOST = callers('the host of the squad', 'MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN');
const session = { status: 200, description: 'The present state of the session.', shape: SquadShape } as const;

export const squadsRest = [
  route({
    method: 'GET',
    path: '/squads',
    operationId: 'listMySquads',
    summary: 'The open squads that the caller takes part in',
    auth: 'required',
    query: pageQuery,
    success: { status: 200, description: 'Newest first.', shape: SquadShape, page: true },
    handler: ({ query }, { squads }) => squads.minePage(query),
  }),
  route({
    method: 'POST',
    path: '/squads',
    operationId: 'openSquad',
    summary: 'Open a squad; the caller is its host',
    auth: 'required',
    description:
      'The squad trains the present version of the routine. A user hosts at most 5 open squads. A LOBBY ends after an hour in which no participant was connected and nothing has changed.',
    body: CreateSquadShape,
    success: { status: 201, description: 'The session, in LOBBY.', shape: SquadShape },
    errors: ['GYM_REQUIRED', 'SQUAD_LIMIT', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ body }, { squads }) => squads.create(body),
  }),
  route({
    method: 'GET',
    path: '/squads/:id',
    operationId: 'getSquad',
    summary: 'A squad',
    description: 'For participants. To all other users, invited or not, it does not exist.',
    auth: 'required',
    params: idParams,
    success: session,
    handler: ({ params }, { squads }) => squads.get(params.id),
  }),
  route({
    method: 'GET',
    path: '/squads/:id/events',
    operationId: 'listSquadEvents',
    summary: 'The events of a squad after a revision',
    auth: 'required',
    params: idParams,
    query: z.object({
      fromRevision: z.coerce
        .number('expected a revision')
        .int()
        .min(0)
        .max(MAX_INTEGER)
        .default(0)
        .meta({ description: 'The last revision that the client has.' }),
    }),
    success: {
      status: 200,
      description:
        'The session, and the events in order; `complete: false` if the oldest are no longer kept.',
      shape: z.object({
        session: SquadShape.meta({ description: 'The squad as it is now.' }),
        missed: z.array(SquadEventShape).meta({ description: 'The events after that revision, in order.' }),
        complete: z.boolean().meta({
          description:
            'False if older events are no longer stored, so that the client has to use the state in `session`.',
        }),
      }),
    },
    handler: ({ params, query }, { squads }) => squads.replay(params.id, query.fromRevision),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/join',
    operationId: 'joinSquad',
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
    operationId: 'leaveSquad',
    summary: 'Leave a squad',
    description:
      'If the host leaves, the participant who has been in the squad longest becomes host. If the last participant leaves, the squad ends. A user who has left needs a new invite to return, also if they were the host.',
    auth: 'required',
    params: idParams,
    success: session,
    handler: ({ params }, { squads }) => squads.leave({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/start',
    operationId: 'startSquad',
    summary: 'Start the workout, or continue it after a pause',
    only: HOST,
    auth: 'required',
    params: idParams,
    success: session,
    errors: ['FORBIDDEN', 'SQUAD_ENDED'],
    handler: ({ params }, { squads }) => squads.start({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/pause',
    operationId: 'pauseSquad',
    summary: 'Pause the workout',
    only: HOST,
    auth: 'required',
    params: idParams,
    success: session,
    errors: ['FORBIDDEN', 'SQUAD_ENDED', 'CONFLICT'],
    handler: ({ params }, { squads }) => squads.pause({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/end',
    operationId: 'endSquad',
    summary: 'End the workout',
    only: HOST,
    description: 'The workout is added to the history of every participant who trained.',
    auth: 'required',
    params: idParams,
    success: session,
    errors: ['FORBIDDEN'],
    handler: ({ params }, { squads }) => squads.end({ squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/kick',
    operationId: 'kickFromSquad',
    summary: 'Remove a participant, or end the right of an invitee to enter',
    only: HOST,
    description: 'The user needs a new invite to enter again.',
    auth: 'required',
    params: idParams,
    body: SquadMemberShape.omit({ squadId: true }).meta({ graphType: 'SquadMemberInput' }),
    success: session,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SQUAD_ENDED'],
    handler: ({ params, body }, { squads }) => squads.kick({ ...body, squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/host',
    operationId: 'makeSquadHost',
    summary: 'Make another participant the host',
    only: HOST,
    auth: 'required',
    params: idParams,
    body: SquadMemberShape.omit({ squadId: true }).meta({ graphType: 'SquadMemberInput' }),
    success: session,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SQUAD_ENDED'],
    handler: ({ params, body }, { squads }) => squads.makeHost({ ...body, squadId: params.id }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/workout',
    operationId: 'updateWorkoutProgress',
    summary: "Store the caller's progress in the workout",
    description:
      'The first update of anybody starts a squad that is in LOBBY. An `eventId` that was sent before changes nothing, a late update does not move the participant back, and a set that was done before is corrected and not counted again.',
    auth: 'required',
    params: idParams,
    body: UpdateWorkoutShape.omit({ squadId: true }).meta({ graphType: 'UpdateSquadWorkoutInput' }),
    success: {
      status: 200,
      description: 'The revision that the update made, and the session.',
      shape: z.object({
        revision: z
          .int()
          .meta({ description: 'The revision that the update has made, also if it was sent before.' }),
        session: SquadShape.meta({ description: 'The squad as it is now.' }),
      }),
    },
    errors: ['CONFLICT', 'SQUAD_ENDED', 'SQUAD_PAUSED', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ params, body }, { squads }) => squads.updateWorkout({ ...body, squadId: params.id }),
  }),
];
