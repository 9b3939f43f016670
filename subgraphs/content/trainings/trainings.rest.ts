import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { TrainingLog } from './training-log.ts';
import type { Trainings } from './trainings.ts';
import {
  CopyTrainingShape,
  LogTrainingShape,
  PutSetShape,
  setParams,
  TrainingQuery,
  TrainingShape,
  UpdateTrainingShape,
} from './trainings.shapes.ts';

const route = restRoute<{ trainings: Trainings; trainingLog: TrainingLog }>(TAGS.trainings, 'content');

export const trainingsRest = [
  route({
    method: 'POST',
    path: '/trainings',
    operationId: 'logTraining',
    summary: 'Log a training, or begin one',
    description:
      'For the caller. Without `endedAt` the training is running, and its sets can be sent one by one. With a `routineId`, the training keeps the version of the routine, and takes its title if it has none of its own.',
    auth: 'required',
    body: LogTrainingShape,
    success: { status: 201, description: 'The training.', shape: TrainingShape },
    handler: ({ body }, { trainings }) => trainings.log(body),
  }),
  route({
    method: 'GET',
    path: '/trainings',
    operationId: 'listTrainings',
    summary: 'Your trainings, the latest first',
    description: 'Only your own; staff cannot read them either.',
    auth: 'required',
    query: TrainingQuery,
    success: { status: 200, description: 'A page of trainings.', shape: TrainingShape, page: true },
    handler: ({ query: { limit, cursor, ...filter } }, { trainingLog }) =>
      trainingLog.list('me', filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/trainings/:id',
    operationId: 'getTraining',
    summary: 'One of your trainings',
    description:
      'While it is running, `restEndsAt` is the end of the rest by the clock of the server; `Date` of the answer is the time of this clock.',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The training.', shape: TrainingShape },
    handler: ({ params }, { trainings }) => trainings.get(params.id),
  }),
  route({
    method: 'PUT',
    path: '/trainings/:id',
    operationId: 'updateTraining',
    summary: 'Change a training, or end it',
    description:
      'Absent fields are unchanged; null empties a field that may be null. `entries` replaces all entries: a set keeps its `id`. Absent minutes follow new times. If the training moves to another day, the times of its sets move with it.',
    auth: 'required',
    params: idParams,
    body: UpdateTrainingShape,
    versioned: true,
    success: { status: 200, description: 'The changed training.', shape: TrainingShape },
    handler: ({ params, body, expectedVersion }, { trainings }) =>
      trainings.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/trainings/:id',
    operationId: 'deleteTraining',
    summary: 'Delete a training',
    description: 'Records, series and summaries no longer contain it.',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The training is deleted.' },
    handler: ({ params, expectedVersion }, { trainings }) => trainings.delete(params.id, expectedVersion),
  }),
  route({
    method: 'PUT',
    path: '/trainings/:id/sets/:setId',
    operationId: 'logTrainingSet',
    summary: 'Log one set, or correct it',
    description:
      'The client chooses the id of the set, so that a device without a connection can repeat the request: the same set changes nothing. The set replaces the one with this id, or is added to the last entry of its exercise, or to a new entry if there is none. `completedAt` is by default the time of the server.',
    auth: 'required',
    params: setParams,
    body: PutSetShape,
    versioned: true,
    success: { status: 200, description: 'The training with the set.', shape: TrainingShape },
    handler: ({ params, body, expectedVersion }, { trainings }) =>
      trainings.putSet(params.id, params.setId, body, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/trainings/:id/copy',
    operationId: 'copyTraining',
    summary: 'Log the same training again',
    description:
      'The copy has the same exercises, sets and duration. It begins at `startedAt`; by default it ends now. The copy of a running training is running, and by default begins now.',
    auth: 'required',
    params: idParams,
    body: CopyTrainingShape.optional(),
    success: { status: 201, description: 'The new training.', shape: TrainingShape },
    handler: ({ params, body }, { trainings }) => trainings.copy(params.id, body),
  }),
];
