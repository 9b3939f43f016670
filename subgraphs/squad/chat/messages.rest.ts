import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams, uuid } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { REPORT_RATE } from '../rates.ts';
import type { MessageReports } from './message-reports.ts';
import type { Messages } from './messages.ts';
import { MessageReportShape, MessageShape, ReportMessageInput, SendMessageShape } from './messages.shapes.ts';

const route = restRoute<{ messages: Messages; messageReports: MessageReports }>(TAGS.chat, 'squad');
const messageParams = idParams.extend({ messageId: uuid().meta({ description: "The message's id." }) });

export const messagesRest = [
  route({
    method: 'GET',
    path: '/squads/:id/messages',
    operationId: 'listMessages',
    summary: 'The chat of a squad',
    description: 'For participants.',
    auth: 'required',
    params: idParams,
    query: pageQuery,
    success: { status: 200, description: 'Newest first.', shape: MessageShape, page: true },
    handler: ({ params, query }, { messages }) => messages.list(params.id, query),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/messages',
    operationId: 'sendMessage',
    summary: 'Write to a squad',
    description:
      'If the caller has used the `clientId` before in this squad, the earlier message is returned.',
    auth: 'required',
    params: idParams,
    body: SendMessageShape.omit({ squadId: true }).meta({ graphType: 'SendSquadMessageInput' }),
    success: { status: 201, description: 'The message, which is stored.', shape: MessageShape },
    errors: ['SQUAD_ENDED'],
    handler: ({ params, body }, { messages }) => messages.send({ ...body, squadId: params.id }),
  }),
  route({
    method: 'DELETE',
    path: '/squads/:id/messages/:messageId',
    operationId: 'deleteMessage',
    summary: 'Delete a message of the caller',
    description: 'The message stays in its place as `deleted: true`, without its text.',
    auth: 'required',
    params: messageParams,
    success: { status: 204, description: 'The text is removed.' },
    errors: ['FORBIDDEN'],
    handler: ({ params: { id, messageId } }, { messages }) => messages.delete({ squadId: id, messageId }),
  }),
  route({
    method: 'POST',
    path: '/squads/:id/messages/:messageId/report',
    operationId: 'reportMessage',
    summary: 'Report a message to the staff of the gym',
    description:
      'Allowed after the caller has left the squad, too. A second report of the same message replaces the first. A user makes at most 30 reports a minute, and 50 in 90 days; further ones are refused with `CONFLICT`.',
    auth: 'required',
    rateLimit: REPORT_RATE,
    params: messageParams,
    body: ReportMessageInput.pick({ reason: true }).meta({ graphType: 'ReportSquadMessageInput' }),
    success: { status: 201, description: 'The report.', shape: MessageReportShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params: { id, messageId }, body }, { messageReports }) =>
      messageReports.report({ ...body, squadId: id, messageId }),
  }),
  route({
    method: 'GET',
    path: '/squad-reports',
    operationId: 'listMessageReports',
    summary: 'Reported messages of squads, latest report first',
    only: GYM_STAFF,
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape),
    success: { status: 200, description: 'A page of reports.', shape: MessageReportShape, page: true },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query: { gymId, ...page } }, { messageReports }) => messageReports.list(gymId, page),
  }),
];
