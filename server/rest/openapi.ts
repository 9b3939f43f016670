import { z } from 'zod';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { API_VERSION } from '../http/response-headers.ts';
import type { RestRoute } from './route.ts';

interface ApiInfo {
  title: string;
  description: string;
}

/** The OpenAPI 3.1 document of a service, made from the declarations of its routes. */
export function openApiDocument(
  info: ApiInfo,
  routes: readonly RestRoute<never>[],
  webhooks?: ZodOpenApiPathsObject,
): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationObject(route) };
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: { title: info.title, description: info.description, version: `${API_VERSION}.0.0` },
      // The URL is relative to the document's, so that it is right at the service's own port and under the gateway's prefix.
      servers: [{ url: './' }],
      paths,
      ...(webhooks && { webhooks }),
      components: {
        securitySchemes: {
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The `token` of POST /auth/login at the identity service.',
          },
        },
      },
    },
    { override: closeInputObjects },
  );
}

/** Declares in the schemas of requests that undeclared fields are refused, as request-fields.ts does. */
const closeInputObjects: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, io }) => {
  if (io === 'input' && jsonSchema.type === 'object' && jsonSchema.properties)
    jsonSchema.additionalProperties ??= false;
};

function operationObject(route: RestRoute<never>): ZodOpenApiOperationObject {
  const { success } = route;
  return {
    operationId: operationId(route),
    tags: [route.path.split('/')[1] || 'root'],
    summary: summaryOf(route),
    ...(route.description && { description: route.description }),
    security: route.auth === 'required' ? [{ accessToken: [] }] : [{}, { accessToken: [] }],
    requestParams: {
      ...(route.params && { path: route.params as z.ZodObject }),
      ...(route.query && { query: route.query as z.ZodObject }),
      ...(headersOf(route) && { header: headersOf(route) as z.ZodObject }),
    },
    ...requestBody(route),
    responses: {
      [success.status]: {
        description: success.description,
        ...successContent(route),
        ...(success.page && {
          headers: z.object({
            Link: z.string().optional().meta({ description: 'Next page: `<...>; rel="next"` (RFC 8288)' }),
          }),
        }),
      },
      ...(success.otherwise && {
        [success.otherwise.status]: {
          description: success.otherwise.description,
          ...successContent(route),
        },
      }),
      ...problems(route),
    },
  };
}

const operationId = (route: RestRoute<never>): string =>
  `${route.method.toLowerCase()}${route.path.replace(/[/:-]+(\w?)/g, (_all, letter: string) => letter.toUpperCase()) || 'Root'}`;

function headersOf(route: RestRoute<never>): z.ZodObject | undefined {
  const shape = {
    ...(route.method === 'POST' && {
      'Idempotency-Key': z.string().optional().meta({
        description:
          'A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time.',
      }),
    }),
    ...(route.versioned && {
      'If-Match': z.string().optional().meta({
        description: 'The ETag of the version on which this write is based; 412 if the version has changed.',
      }),
    }),
  };
  return Object.keys(shape).length > 0 ? z.object(shape) : undefined;
}

/** The summary, with the callers for whom the route is. */
function summaryOf({ summary, only, scopes }: RestRoute<never>): string {
  const callers = [...(only ? [only.note] : []), ...(scopes ? [`scope ${scopes.join(' or ')}`] : [])];
  return callers.length > 0 ? `${summary} (${callers.join('; ')})` : summary;
}

function requestBody(route: RestRoute<never>): object {
  const streamed = route.consumes ? { [route.consumes]: { schema: { type: 'string' } } } : {};
  if (route.consumes && !route.upload) return { requestBody: { required: true, content: streamed } };
  if (route.upload) {
    const fields = route.body
      ? z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }).properties
      : {};
    const file = {
      type: 'string',
      contentMediaType: 'application/octet-stream',
      description: `At most ${(route.upload.maxBytes ?? 10_485_760) / 1_048_576} MiB.`,
    };
    const many = (route.upload.maxFiles ?? 1) > 1;
    const properties = {
      ...fields,
      [route.upload.field]: many ? { type: 'array', items: file, maxItems: route.upload.maxFiles } : file,
    };
    return {
      requestBody: {
        required: true,
        content: {
          ...streamed,
          'multipart/form-data': { schema: { type: 'object', properties } },
          ...(route.upload.optional && route.body && { 'application/json': { schema: route.body } }),
        },
      },
    };
  }
  if (!route.body) return {};
  const schema = { schema: route.body };
  const form = route.acceptsForm ? { 'application/x-www-form-urlencoded': schema } : {};
  return { requestBody: { required: true, content: { 'application/json': schema, ...form } } };
}

function successContent(route: RestRoute<never>): object {
  const { shape, page, contentType } = route.success;
  if (contentType) return { content: { [contentType]: { schema: shape ?? { type: 'string' } } } };
  if (!shape) return {};
  return { content: { 'application/json': { schema: page ? z.array(shape) : shape } } };
}

const problemShape = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().meta({ description: 'What was expected, what was received, and what to do next.' }),
    instance: z.string(),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' });

function problems(route: RestRoute<never>): Record<string, object> {
  const codes: ErrorCode[] = [
    // Every route refuses an undeclared query parameter and a malformed Idempotency-Key or If-Match.
    'VALIDATION_FAILED',
    'UNAUTHENTICATED',
    // The request has an undeclared `userId` or `gymId` of another user.
    'FORBIDDEN',
    ...(route.method === 'POST' ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...(route.params ? (['NOT_FOUND'] as const) : []),
    ...(route.versioned ? (['VERSION_CONFLICT'] as const) : []),
    ...(route.body || route.upload || route.consumes
      ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)
      : []),
    'RATE_LIMITED',
    // The database, or another service that the request needs, does not answer.
    'UPSTREAM_UNAVAILABLE',
    ...(route.method === 'GET' ? [] : (['SERVER_BUSY', 'INSUFFICIENT_STORAGE'] as const)),
    ...(route.errors ?? []),
  ];
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: problemShape } },
      },
    ]),
  );
}
