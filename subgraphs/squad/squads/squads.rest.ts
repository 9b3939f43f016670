import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { MAX_INTEGER, idParams } from '#server/shapes.ts';
import type { Squads } from './squads.ts';
import { CreateSquadShape, SquadEventShape, SquadShape, UpdateWorkoutShape } from './squads.shapes.ts';

const route = restRoute<{ squads: Squads }>();
const session = { status: 200, description: 'The session as it is now.', shape: SquadShape } as const;

export const squadsRest = [
  route({
    method: 'POST',
    path: '/squads',
    summary: 'Open a squad; the caller is its host',
    auth: 'required',
    body: CreateSquadShape,
    success: { status: 201, description: 'The session, in LOBBY.', shape: SquadShape },
    errors: ['NOT_FOUND', 'GYM_REQUIRED'],
    handler: ({ body }, { squads }) => squads.create(body),
  }),
  route({
    method: 'GET',
    path: '/squads/:id',
    summary: 'A session',
    description: 'For its participants and those who are invited; to everybody else it is not there.',
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
        'The session, and the events in order; `complete: false` where the oldest are no longer kept.',
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
      "The host's leaving hands over to the one who is there longest; the last one's ends the squad.",
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
    path: '/squads/:id/workout',
    summary: 'Say where the caller is in the workout',
    description:
      'The first set of anybody starts a squad that is in LOBBY. An `eventId` that was sent before changes nothing.',
    auth: 'required',
    params: idParams,
    body: UpdateWorkoutShape.omit({ squadId: true }),
    success: {
      status: 200,
      description: 'The revision that it made.',
      shape: z.object({ revision: z.int(), session: SquadShape }),
    },
    errors: ['FORBIDDEN', 'SQUAD_ENDED', 'SQUAD_PAUSED'],
    handler: ({ params, body }, { squads }) => squads.updateWorkout({ ...body, squadId: params.id }),
  }),
];
