import { z } from 'zod';
import { withDescriptionsOfType } from '#server/graph-descriptions.ts';
import { API_INFO } from '#server/api-info.ts';
import { SERVER_HOST, SERVER_PREFIX, SOCKET_PROTOCOL } from '#server/served-document.ts';
import { CLIENT_EVENTS, CLOSE_CODES, SERVER_EVENTS, type ProtocolEvent } from '../socket/protocol.ts';

const frame = (event: string, data: object, extra: object = {}) => ({
  type: 'object',
  required: ['event', 'data'],
  properties: { event: { const: event }, data, ...extra },
});
/** The named shapes, as components of the document: an AsyncAPI `$ref` begins at the document, not at the payload. */
const schemas: Record<string, object> = {};
const schemaOf = (shape: z.ZodType, io: 'input' | 'output'): object => {
  const {
    $schema: _unused,
    $defs,
    ...schema
  } = z.toJSONSchema(shape, { io, unrepresentable: 'any', reused: 'inline' });
  for (const [name, named] of Object.entries($defs ?? {}))
    schemas[name] = withDescriptionsOfType('squad', inDocument(named), name);
  return withDescriptionsOfType('squad', inDocument(schema), schema.id);
};
const inDocument = <T extends object>(schema: T): T =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as T;
const id = {
  id: { type: ['string', 'number'], description: 'Chosen by the client; the answer has the same id.' },
};
const seq = {
  seq: {
    type: 'integer',
    description:
      "For presence the number of the update to this connection, for squad events the revision, for messages the message's number, for invites the number of the user's last change of an invite, for class sessions the number of the event on this connection.",
  },
};
const ackName = (event: ProtocolEvent) => `${event.name}_ack`;

const messages = Object.fromEntries([
  ...CLIENT_EVENTS.map((event) => [
    event.name,
    {
      name: event.name,
      title: event.name,
      summary: event.summary,
      payload: frame(event.name, schemaOf(event.data, 'input'), id),
    },
  ]),
  ...CLIENT_EVENTS.map((event) => [
    ackName(event),
    {
      name: ackName(event),
      title: `ack of ${event.name}`,
      payload: frame('ack', schemaOf(event.ack as z.ZodType, 'output'), id),
    },
  ]),
  ...SERVER_EVENTS.map((event) => [
    event.name,
    {
      name: event.name,
      title: event.name,
      summary: event.summary,
      payload: frame(event.name, schemaOf(event.data, 'output'), seq),
    },
  ]),
  [
    'error',
    {
      name: 'error',
      title: 'error',
      summary: 'A frame was refused. The error has the id of the frame, if the frame had one.',
      payload: frame(
        'error',
        {
          type: 'object',
          required: ['code', 'message'],
          properties: {
            code: { type: 'string' },
            message: { type: 'string' },
            errors: {
              type: 'array',
              description: 'The errors, field by field; absent if the error is not about fields.',
              items: {
                type: 'object',
                required: ['path', 'message'],
                properties: { path: { type: 'string' }, message: { type: 'string' } },
              },
            },
          },
        },
        id,
      ),
    },
  ],
]) as Record<string, object>;

/** The first sentence of an event's description is its summary. */
const about = ({ summary }: ProtocolEvent) => ({
  summary: summary.split(/(?<=\.) /, 1)[0],
  description: summary,
});
const channel = { $ref: '#/channels/socket' };
const messageIn = (name: string) => ({ $ref: `#/channels/socket/messages/${name}` });

/** The raw socket as an AsyncAPI 3 document, made from the shapes that check its frames. */
export const asyncApiDocument = {
  asyncapi: '3.1.0',
  info: {
    ...API_INFO,
    title: 'Squad service: the raw socket',
    tags: [{ name: 'Squads', description: 'Presence, invites, live squads and their chat.' }],
    description: `WebSocket at \`/socket\`, sub-protocol \`squad.v1\`; through the gateway \`/squad/socket\`. Frames are JSON text of at most 64 KiB, at most 30 a second; further ones of that second, and those that come while 100 wait for their answers, are refused with \`RATE_LIMITED\`. Each refused frame that has an \`id\` is answered.\n\nClose codes: ${CLOSE_CODES.map(({ code, name, meaning }) => `${code} ${name}: ${meaning}`).join(' ')}`,
  },
  defaultContentType: 'application/json',
  servers: {
    squad: {
      host: SERVER_HOST,
      pathname: SERVER_PREFIX,
      protocol: SOCKET_PROTOCOL,
      security: [{ $ref: '#/components/securitySchemes/accessToken' }],
    },
  },
  channels: {
    socket: {
      address: '/socket',
      title: 'The raw socket of squads',
      messages: Object.fromEntries(
        Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
      ),
      bindings: {
        ws: {
          method: 'GET',
          headers: { type: 'object', properties: { 'Sec-WebSocket-Protocol': { const: 'squad.v1' } } },
        },
      },
    },
  },
  operations: Object.fromEntries([
    ...CLIENT_EVENTS.map((event) => [
      event.name,
      {
        action: 'receive',
        channel,
        ...about(event),
        messages: [messageIn(event.name)],
        reply: { channel, messages: [messageIn(ackName(event)), messageIn('error')] },
      },
    ]),
    ...SERVER_EVENTS.map((event) => [
      event.name,
      { action: 'send', channel, ...about(event), messages: [messageIn(event.name)] },
    ]),
  ]) as Record<string, object>,
  components: {
    messages,
    schemas,
    securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  },
};
