import { pageQuery } from '#server/paging.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import type { Messages } from './messages.ts';
import { MessageShape, SendMessageShape } from './messages.shapes.ts';

const route = restRoute<{ messages: Messages }>();

export const messagesRest = [
  route({
    method: 'GET',
    path: '/squads/:id/messages',
    summary: 'The chat of a squad',
    description: 'For those who have entered it.',
    auth: 'required',
    params: idParams,
    query: pageQuery,
    success: { status: 200, description: 'Newest first.', shape: MessageShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ params, query }, { messages }) => messages.list(params.id, query),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/messages',
    summary: 'Write to a squad',
    description: 'A `clientId` that the caller has used before in this squad gives the message of then.',
    auth: 'required',
    params: idParams,
    body: SendMessageShape.omit({ squadId: true }),
    success: { status: 201, description: 'The message, which is on disk.', shape: MessageShape },
    errors: ['FORBIDDEN', 'SQUAD_ENDED'],
    handler: ({ params, body }, { messages }) => messages.send({ ...body, squadId: params.id }),
  }),
];
