import { API_INFO } from '#server/api-info.ts';
import { TOO_MANY_SOCKETS } from '#server/http/socket-limits.ts';
import { IDLE } from '#server/http/idle-sockets.ts';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import type { GraphQLField, GraphQLSchema } from 'graphql';
import { jsonSchemaOf } from './json-schema.ts';
import type { JsonObject } from '#server/json-object.ts';
import { SERVER_HOST, SOCKET_PROTOCOL } from '#server/served-document.ts';

/** How many levels of an event's nested objects the document shows. */
const LEVELS_SHOWN = 2;

/** The graph over WebSocket as an AsyncAPI 3 document: the protocol's messages, and one event for each subscription field. */
export function gatewayAsyncApi(schema: GraphQLSchema): JsonObject {
  const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {});
  const messages = Object.fromEntries(
    [...FRAMES, ...fields.map(eventOf)].map((message) => [`graph_${message.name}`, message]),
  );
  return {
    asyncapi: '3.1.0',
    info: {
      ...API_INFO,
      title: 'Fitness platform: live',
      description: DESCRIPTION,
      tags: [{ name: 'Live', description: 'Events as they happen.' }],
    },
    defaultContentType: 'application/json',
    servers: { gateway: { host: SERVER_HOST, protocol: SOCKET_PROTOCOL } },
    channels: {
      graph: {
        address: '/graphql',
        title: 'Subscriptions of the graph',
        messages: Object.fromEntries(
          Object.values(messages).map(({ name }) => [name, { $ref: `#/components/messages/graph_${name}` }]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            headers: {
              type: 'object',
              properties: { 'Sec-WebSocket-Protocol': { const: GRAPHQL_TRANSPORT_WS_PROTOCOL } },
            },
          },
        },
      },
    },
    operations: operationsOf(fields),
    components: { messages },
  };
}

const operationsOf = (fields: readonly GraphQLField<unknown, unknown>[]): JsonObject => ({
  graph_connect: received('connection_init', 'The first message, with the token.', ['connection_ack']),
  graph_subscribe: received('subscribe', 'Begins an operation.', [
    ...fields.map(eventName),
    'error',
    'complete',
  ]),
  graph_end: received('complete', 'Ends an operation.'),
  graph_ping: received('ping', 'Either side may check that the other one is connected.', ['pong']),
  ...Object.fromEntries(
    fields.map((field) => [`graph_${field.name}`, sent(eventName(field), field.description ?? field.name)]),
  ),
});

const channel = { $ref: '#/channels/graph' };
const inChannel = (name: string) => ({ $ref: `#/channels/graph/messages/${name}` });

const received = (name: string, summary: string, answers: string[] = []) => ({
  action: 'receive',
  channel,
  summary,
  description: summary,
  messages: [inChannel(name)],
  ...(answers.length > 0 && { reply: { channel, messages: answers.map(inChannel) } }),
});

const sent = (name: string, summary: string) => ({
  action: 'send',
  channel,
  summary: summary.split(/(?<=\.)\s/, 1)[0],
  description: summary,
  messages: [inChannel(name)],
});

/** A short form of the table in gateway/subscriptions/PROTOCOL.md. */
const CLOSE_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [1001, 'the gateway stops: connect again'],
  [1009, 'a message of more than 256 KiB'],
  [CloseCode.BadRequest, 'a message that is not part of the protocol'],
  [CloseCode.Unauthorized, '`subscribe` before `connection_ack`'],
  [CloseCode.Forbidden, 'the token is not valid, or has expired: connect again with a new one'],
  [CloseCode.SubprotocolNotAcceptable, 'another sub-protocol'],
  [CloseCode.ConnectionInitialisationTimeout, 'no `connection_init` in time'],
  [CloseCode.SubscriberAlreadyExists, 'a second operation under an `id` that is in use'],
  [CloseCode.TooManyInitialisationRequests, 'a second `connection_init`'],
  [TOO_MANY_SOCKETS, 'the user has too many sockets'],
  [IDLE, 'the socket had no operation for a long time: connect again when you need one'],
];

const DESCRIPTION = `The WebSockets of this gateway. **The graph**: at \`/graphql\`, sub-protocol \`${GRAPHQL_TRANSPORT_WS_PROTOCOL}\`, which every GraphQL client library supports; the same subscriptions are served over HTTP at the same path, with \`Accept: text/event-stream\` or \`multipart/mixed;subscriptionSpec=1.0\`; the token goes into the payload of \`connection_init\` as \`{"Authorization": "Bearer <token>"}\`.

Close codes: ${CLOSE_CODES.map(([code, meaning]) => `${code} ${meaning}`).join('; ')}.`;

const eventName = (field: GraphQLField<unknown, unknown>): string => `next_${field.name}`;

interface Message {
  name: string;
  title: string;
  summary: string;
  payload: JsonObject;
}

const id = { type: 'string', description: 'Chosen by the client with `subscribe`.' };

const frame = (type: string, properties: JsonObject = {}, required: string[] = []): JsonObject => ({
  type: 'object',
  required: ['type', ...required],
  properties: { type: { const: type }, ...properties },
});

const FRAMES: Message[] = [
  {
    name: 'connection_init',
    title: 'connection_init',
    summary: 'Identifies the caller. Without a token the caller is anonymous.',
    payload: frame('connection_init', {
      payload: {
        type: 'object',
        properties: { Authorization: { type: 'string', description: '`Bearer <token>`' } },
      },
    }),
  },
  {
    name: 'connection_ack',
    title: 'connection_ack',
    summary: 'The connection is accepted.',
    payload: frame('connection_ack'),
  },
  { name: 'ping', title: 'ping', summary: 'Checks the connection.', payload: frame('ping') },
  { name: 'pong', title: 'pong', summary: 'The answer to a ping.', payload: frame('pong') },
  {
    name: 'subscribe',
    title: 'subscribe',
    summary: 'A subscription; a query or mutation may come this way, too.',
    payload: frame(
      'subscribe',
      {
        id,
        payload: {
          type: 'object',
          required: ['query'],
          properties: {
            query: { type: 'string' },
            operationName: { type: ['string', 'null'] },
            variables: { type: ['object', 'null'] },
            extensions: { type: ['object', 'null'] },
          },
        },
      },
      ['id', 'payload'],
    ),
  },
  {
    name: 'error',
    title: 'error',
    summary:
      'The operation was refused, or cannot continue; it is the last message of the operation. `SUBSCRIPTION_SLOW_CONSUMER`: read faster. `SUBSCRIPTION_SCHEMA_RELOAD`: the operation is not valid any more.',
    payload: frame(
      'error',
      {
        id,
        payload: {
          type: 'array',
          items: {
            type: 'object',
            required: ['message'],
            properties: {
              message: { type: 'string' },
              extensions: { type: 'object', properties: { code: { type: 'string' } } },
            },
          },
        },
      },
      ['id', 'payload'],
    ),
  },
  {
    name: 'complete',
    title: 'complete',
    summary: 'The end of an operation. Either side may send it.',
    payload: frame('complete', { id }, ['id']),
  },
];

const eventOf = (field: GraphQLField<unknown, unknown>): Message => {
  const args = field.args.map(({ name, type }) => `${name}: ${String(type)}`).join(', ');
  const data = {
    type: ['object', 'null'],
    properties: { [field.name]: jsonSchemaOf(field.type, LEVELS_SHOWN) },
  };
  return {
    name: eventName(field),
    title: `${field.name}${args && `(${args})`}: ${String(field.type)}`,
    summary: field.description ?? field.name,
    payload: frame(
      'next',
      {
        id,
        payload: {
          type: 'object',
          properties: { data, errors: { type: 'array', items: { type: 'object' } } },
        },
      },
      ['id', 'payload'],
    ),
  };
};
