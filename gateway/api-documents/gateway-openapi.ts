import type { JsonObject } from '#server/json-object.ts';
import { aboutApi, clientToken, USER_TOKEN } from '#server/rest/openapi.ts';
import { SERVER_URL } from '#server/served-document.ts';

const jsonOf = (schema: JsonObject, example?: unknown) => ({
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
});

const GRAPH_TAG = { name: 'Graph', description: 'One graph over all services.' };
const OPERATION_TAG = { name: 'Operation', description: 'Health, metrics and documents of the gateway.' };

const GRAPH_REQUEST = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description:
        'The operation; required unless `extensions.persistedQuery` or `documentId` identifies it.',
    },
    documentId: {
      type: ['string', 'null'],
      description: 'The id of a registered operation, instead of `query`.',
    },
    operationName: {
      type: ['string', 'null'],
      description: 'Required if the document has several operations.',
    },
    variables: { type: ['object', 'null'] },
    extensions: { type: ['object', 'null'] },
  },
};

const GRAPH_ANSWER = {
  type: 'object',
  properties: {
    data: { type: ['object', 'null'] },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          message: { type: 'string' },
          path: { type: 'array', items: { type: ['string', 'integer'] } },
          extensions: {
            type: 'object',
            properties: {
              code: { type: 'string', description: 'The same codes as in REST problem documents.' },
            },
          },
        },
      },
    },
    extensions: { type: 'object' },
  },
};

/** The statuses of answers without data. */
const GRAPH_FAILURES = {
  400: 'The operation is invalid or exceeds a limit.',
  401: '`UNAUTHENTICATED`: the token is not valid.',
  403: 'The caller may not run the operation.',
  404: '`NOT_FOUND`, in a mutation.',
  406: '`NOT_ACCEPTABLE`: the header `Accept` allows no JSON.',
  408: '`REQUEST_TIMEOUT`: the request came too slowly.',
  409: '`CONFLICT`, or another conflict in a mutation.',
  412: '`VERSION_CONFLICT`, in a mutation.',
  413: '`PAYLOAD_TOO_LARGE`: the request is too large.',
  415: '`UNSUPPORTED_MEDIA_TYPE`: the request has another media type.',
  429: '`RATE_LIMITED`: too many requests.',
  500: '`INTERNAL`: an error of the platform.',
  503: '`UPSTREAM_UNAVAILABLE`: a service does not answer.',
  504: '`UPSTREAM_TIMEOUT`: a service takes too long.',
};

const GRAPH_POST = {
  operationId: 'runGraphOperation',
  tags: [GRAPH_TAG.name],
  summary: 'Runs an operation on the graph of all services',
  description:
    'Queries and mutations; subscriptions with `Accept: text/event-stream` (GraphQL over SSE) or `multipart/mixed;subscriptionSpec=1.0`, or over a WebSocket at this same address (see `asyncapi.json`). Files are sent as a GraphQL multipart request with the header `Apollo-Require-Preflight`. The explorer is at `/explorer`.',
  security: [{}, { accessToken: [] }],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: GRAPH_REQUEST,
        example: {
          query: 'query First($count: Int!) { workouts(first: $count) { nodes { title durationMinutes } } }',
          variables: { count: 1 },
        },
      },
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['operations', 'map'],
          properties: {
            operations: { type: 'string', description: 'The request as JSON, with `null` for each file.' },
            map: {
              type: 'string',
              description:
                'A JSON object from the name of each file part to its paths in `operations`: `{"0": ["variables.file"]}`.',
            },
          },
          additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream' },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The result; `errors` if fields failed or were refused.',
      ...jsonOf(GRAPH_ANSWER, {
        data: { workouts: { nodes: [{ title: 'Bodyweight Anywhere', durationMinutes: 23 }] } },
      }),
    },
    ...Object.fromEntries(
      Object.entries(GRAPH_FAILURES).map(([status, description]) => [
        status,
        { description, ...jsonOf(GRAPH_ANSWER) },
      ]),
    ),
  },
};

/** A GET path of the gateway that needs no access token. */
const publicGet = (operationId: string, summary: string, responses: JsonObject) => ({
  get: {
    operationId,
    tags: [OPERATION_TAG.name],
    summary,
    description: 'For everybody.',
    security: [{}],
    responses: { ...responses, 408: { description: 'The request came too slowly.' } },
  },
});

const HEALTH = {
  type: 'object',
  required: ['status'],
  properties: {
    status: { type: 'string' },
    checks: { type: 'object' },
    lost: {
      type: 'object',
      description: 'What does not work although the server continues, with the consequence of each.',
      additionalProperties: { type: 'string' },
    },
  },
};

/** The `info` of the document if the gateway serves a supergraph of other services, which have no REST interface here. */
export const GRAPH_ALONE = aboutApi({
  title: 'Gateway',
  description: 'The graph of the supergraph that was given to this gateway.',
});

/** The gateway's own paths, and the general parts of the merged document. */
export const gatewayOpenApi = {
  openapi: '3.1.0',
  info: aboutApi({
    title: 'Fitness platform',
    description: `The REST interface of all services under the prefixes of the gateway, and the graph over them.

**People** log in by \`POST /identity/auth/login\`; its \`token\` goes into the header \`Authorization: Bearer <token>\`.

**Machines** such as turnstiles, kiosks and CRMs use a machine client. The admin of a gym creates it with scopes by \`POST /identity/api-clients\`; it gets a token of 15 minutes by \`POST /identity/auth/token\`. A client of one location sees only what belongs to this location.

**What happens in a gym** reaches machines in two ways, with the same data. A program that asks reads the feed \`GET /gym/events\` with \`wait=20\`, and sends \`next\` of each answer as \`after\` of the next request. A server with a public address is sent webhooks (\`POST /gym/webhooks\`). Neither has the present state: request \`after=latest\` first, then read the state, e.g. \`GET /gym/locations\`, then follow the feed from \`next\`.

**Limits.** The headers \`RateLimit-Policy\` and \`RateLimit\` of each answer to a counted request tell the limits and what is left of them; 429 has \`Retry-After\`.`,
  }),
  servers: [{ url: SERVER_URL }],
  tags: [GRAPH_TAG, OPERATION_TAG],
  paths: {
    '/graphql': { post: GRAPH_POST },
    '/health/live': publicGet('getLiveness', 'Whether the process answers', {
      200: { description: 'The process answers.', ...jsonOf(HEALTH, { status: 'ok' }) },
    }),
    '/health/ready': publicGet('getReadiness', 'Whether the gateway is ready', {
      200: { description: 'The gateway is ready.', ...jsonOf(HEALTH, { status: 'ok', checks: {} }) },
      503: { description: 'The gateway is not ready, or it is stopping.', ...jsonOf(HEALTH) },
    }),
    '/metrics': publicGet('getMetrics', 'Figures for Prometheus', {
      200: {
        description: 'The text format of Prometheus.',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
      401: { description: 'METRICS_TOKEN is set, and the request was sent without this token.' },
      404: {
        description:
          'The metrics are served at METRICS_PORT, or only to clients on the same machine as the gateway.',
      },
    }),
    '/openapi.json': publicGet('getOpenApi', 'This document', {
      200: { description: 'OpenAPI 3.1', ...jsonOf({ type: 'object' }) },
    }),
    '/asyncapi.json': publicGet('getAsyncApi', 'The messages of the WebSockets', {
      200: { description: 'AsyncAPI 3', ...jsonOf({ type: 'object' }) },
    }),
  },
  components: {
    securitySchemes: { ...USER_TOKEN, ...clientToken(`${SERVER_URL}/identity/auth/token`) },
  },
} satisfies JsonObject;
