import { SERVICES } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import type { SquadTrainings } from './squad-trainings.ts';
import {
  SquadTrainingShape,
  squadTrainingParams,
  WrittenSquadTrainingShape,
} from './squad-trainings.shapes.ts';

const route = restRoute<{ squadTrainings: SquadTrainings }>(INTERNAL);

/** Requests per minute: many squads may end at once. */
const RATE = { name: 'squad-trainings', perMinute: 6_000, by: 'caller' } as const;

export const squadTrainingsRest = [
  route({
    method: 'PUT',
    path: '/squads/:squadId/trainings/:userId',
    operationId: 'writeSquadTraining',
    summary: 'Write what a participant has done in a squad as their training',
    description:
      'A user has one training for each squad: a repeated call changes nothing, and a later stay adds its sets.',
    only: SERVICES,
    auth: 'required',
    rateLimit: RATE,
    params: squadTrainingParams,
    body: SquadTrainingShape,
    success: {
      status: 200,
      description: 'The training of the participant.',
      shape: WrittenSquadTrainingShape,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body }, { squadTrainings }) =>
      squadTrainings.write(params.squadId, params.userId, body),
  }),
];
