import { z } from 'zod';
import { uuid, visibleText } from '#server/shapes.ts';

export const MessageShape = z
  .object({
    id: uuid(),
    squadId: uuid(),
    userId: z.string().meta({ description: 'The user who wrote the message.' }),
    text: z.string(),
    deleted: z.boolean(),
    clientId: z.string().nullable(),
    seq: z.int(),
    sentAt: z.iso.datetime(),
  })
  .meta({ id: 'SquadMessage' });
export type MessageShape = z.infer<typeof MessageShape>;

export const SendMessageShape = z
  .object({
    squadId: uuid('expected the id of a squad'),
    text: visibleText(2_000),
    clientId: z.string().min(1).max(100).nullish(),
  })
  .meta({ graphType: 'SendSquadMessageInput' });

export const MessageIdShape = z
  .object({
    squadId: uuid('expected the id of a squad'),
    messageId: uuid('expected the id of a message'),
  })
  .meta({ graphType: 'SquadMessageInput' });

export const ReportMessageInput = MessageIdShape.extend({
  reason: visibleText(500).nullish(),
}).meta({ graphType: 'ReportSquadMessageInput' });

export const MessageReportShape = z
  .object({
    squadId: uuid(),
    messageId: uuid(),
    reporterId: z.string().meta({ description: 'The user who reported the message.' }),
    authorId: z.string().meta({ description: 'The user who wrote the message.' }),
    text: z.string(),
    reason: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'SquadMessageReport' });
export type MessageReportShape = z.infer<typeof MessageReportShape>;
