import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { SERVICES } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import type { TrainedRoutines } from './trained-routines.ts';
import { TrainedRoutineShape } from './trained-routines.shapes.ts';

const route = restRoute<{ trainedRoutines: TrainedRoutines }>(INTERNAL);

/** Requests per minute: content asks at each reading of a private routine of another user. */
const RATE = { name: 'trained-routines', perMinute: 60_000, by: 'caller' } as const;

export const trainedRoutinesRest = [
  route({
    method: 'GET',
    path: '/trained-routines/:userId',
    operationId: 'listTrainedRoutines',
    summary: 'The routines that the open squads of a user train',
    description:
      'With those of squads to which they are invited. The content service asks for them: the user may read these versions also if the routine is private.',
    only: SERVICES,
    auth: 'required',
    rateLimit: RATE,
    params: z.object({ userId: uuid().meta({ description: 'The id of the user.' }) }),
    success: {
      status: 200,
      description: 'Each version once.',
      shape: z.array(TrainedRoutineShape),
    },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { trainedRoutines }) => trainedRoutines.of(params.userId),
  }),
];
