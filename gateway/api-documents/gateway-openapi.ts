import { API_VERSION } from '#server/http/response-headers.ts';
import type { JsonObject } from '#server/json-object.ts';

const jsonOf = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });

const GRAPH_REQUEST = {
  type: 'object',
  required: ['query'],
  properties: {
    query: {
      type: 'string',
      description: 'The operation; optional if `extensions.persistedQuery` identifies it.',
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

const GRAPH_POST = {
  operationId: 'gatewayPostGraphql',
  tags: ['gateway'],
  summary: 'Runs an operation on the graph of all services',
  description:
    'Queries and mutations; subscriptions use a WebSocket at this same address (see `asyncapi.json`). Files are sent as a GraphQL multipart request with the header `Apollo-Require-Preflight`. The explorer is at `/explorer`.',
  security: [{}, { accessToken: [] }],
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: GRAPH_REQUEST },
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
      ...jsonOf(GRAPH_ANSWER),
    },
    400: { description: 'The operation is invalid or exceeds a limit.', ...jsonOf(GRAPH_ANSWER) },
    401: { description: '`UNAUTHENTICATED`: the token is not valid.', ...jsonOf(GRAPH_ANSWER) },
    429: { description: '`RATE_LIMITED`: too many requests.', ...jsonOf(GRAPH_ANSWER) },
  },
};

/** A GET path of the gateway that needs no access token. */
const publicGet = (operationId: string, summary: string, responses: JsonObject) => ({
  get: { operationId, tags: ['gateway'], summary, security: [{}], responses },
});

const HEALTH = jsonOf({
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
});

/** The `info` of the document if the gateway serves a supergraph of other services, which have no REST interface here. */
export const GRAPH_ALONE = {
  title: 'Gateway',
  version: `${API_VERSION}.0.0`,
  description: 'The graph of the supergraph that was given to this gateway.',
};

/** The gateway's own paths, and the general parts of the merged document. */
export const gatewayOpenApi = {
  openapi: '3.1.0',
  info: {
    title: 'Fitness platform',
    version: `${API_VERSION}.0.0`,
    description:
      'The REST interface of all services under the prefixes of the gateway, and the graph over them. Log in by `POST /identity/auth/login`; its `token` goes into the header `Authorization: Bearer <token>`.',
  },
  // Relative to the document, so that it is correct at every address of the gateway.
  servers: [{ url: './' }],
  tags: [{ name: 'gateway', description: 'The graph, and the gateway itself.' }],
  paths: {
    '/graphql': { post: GRAPH_POST },
    '/health/live': publicGet('gatewayGetHealthLive', 'Whether the process answers', {
      200: { description: 'The process answers.', ...HEALTH },
    }),
    '/health/ready': publicGet('gatewayGetHealthReady', 'Whether the gateway is ready', {
      200: { description: 'The gateway is ready.', ...HEALTH },
      503: { description: 'The gateway is not ready, or it is stopping.', ...HEALTH },
    }),
    '/metrics': publicGet('gatewayGetMetrics', 'Figures for Prometheus', {
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
    '/openapi.json': publicGet('gatewayGetOpenapi', 'This document', {
      200: { description: 'OpenAPI 3.1', ...jsonOf({ type: 'object' }) },
    }),
    '/asyncapi.json': publicGet('gatewayGetAsyncapi', 'The messages of the WebSockets', {
      200: { description: 'AsyncAPI 3', ...jsonOf({ type: 'object' }) },
    }),
  },
  components: {
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'The `token` of `POST /identity/auth/login`, or of the mutation `login`.',
      },
    },
  },
} satisfies JsonObject;
