import { z } from 'zod';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { SCOPES } from '../auth/scopes.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { API_INFO } from '../api-info.ts';
import type { JsonObject } from '../json-object.ts';
import { withCodeSamples } from './code-samples.ts';
import { withExamples, type ApiExamples } from './examples.ts';
import { errorCodesOf } from './route-errors.ts';
import { isWholeList, type RestRoute } from './route.ts';
import { IDENTITY_URL, SERVER_URL } from '../served-document.ts';

interface ApiInfo {
  title: string;
  description: string;
}

/** The general part of every OpenAPI document of the platform. */
export const aboutApi = ({ title, description }: ApiInfo) => ({
  ...API_INFO,
  title,
  description,
  license: { ...API_INFO.license, identifier: 'LicenseRef-fitness-platform' },
});

/** How users identify themselves; the `security` of an operation refers to the key `accessToken`. */
export const USER_TOKEN = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a user: the `token` of a log-in at the identity service.',
  },
} as const;

/** How machine clients identify themselves. */
export const clientToken = (tokenUrl: string) =>
  ({
    machineClient: {
      type: 'oauth2',
      description:
        'The access token of a machine client, which a gym creates by `POST /api-clients` at the identity service. An operation needs one of the scopes that it names.',
      flows: { clientCredentials: { tokenUrl, scopes: SCOPES } },
    },
  }) as const;

/**
 * The OpenAPI 3.1 document of a service, made from the declarations of its routes. `documentFor` fills in the addresses.
 */
export function openApiDocument(
  info: ApiInfo,
  routes: readonly RestRoute<never>[],
  examples: ApiExamples = {},
  webhooks?: ZodOpenApiPathsObject,
): JsonObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationObject(route) };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: aboutApi(info),
      servers: [{ url: SERVER_URL }],
      tags: [...new Map(routes.map(({ tag }) => [tag.name, { ...tag }])).values()],
      paths,
      ...(webhooks && { webhooks }),
      components: {
        securitySchemes: {
          ...USER_TOKEN,
          ...(routes.some(({ scopes }) => scopes) && clientToken(`${IDENTITY_URL}/auth/token`)),
        },
      },
    },
    { override: completeSchemas },
  );
  return withCodeSamples(withExamples({ ...document }, examples));
}

/**
 * Declares in the schemas of requests that undeclared fields are refused (request-fields.ts refuses them), and rewrites
 * patterns so that every validator can compile them.
 */
const completeSchemas: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, io }) => {
  if (io === 'input' && jsonSchema.type === 'object' && jsonSchema.properties)
    jsonSchema.additionalProperties ??= false;
  // `\P{Cc}` needs the flag `u`, without which many validators compile patterns.
  jsonSchema.pattern &&= jsonSchema.pattern.replaceAll(
    String.raw`\P{Cc}`,
    String.raw`[^\u0000-\u001f\u007f-\u009f]`,
  );
};

function operationObject(route: RestRoute<never>): ZodOpenApiOperationObject {
  const { success } = route;
  return {
    operationId: route.operationId,
    tags: [route.tag.name],
    summary: route.summary,
    description: [...(route.description ? [route.description] : []), `For ${audienceOf(route)}.`].join(
      '\n\n',
    ),
    security: securityOf(route),
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
        ...((success.page || isWholeList(route)) && {
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
      ...(hasTag(route) && {
        304: { description: 'The answer is still the one with the ETag in `If-None-Match`.' },
      }),
      ...problems(route),
    },
  };
}

/** Whether the answers have an `ETag`: those of a GET, except streams that are made while they are sent. */
const hasTag = ({ method, success }: RestRoute<never>): boolean =>
  method === 'GET' && !success.streamed && success.contentType !== 'text/csv';

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

/** The callers that a route is for, in words. */
export const audienceOf = ({ only, auth, scopes }: RestRoute<never>): string =>
  [
    only?.note ?? (auth === 'required' ? 'users' : 'everybody'),
    ...(scopes ? [`machine clients with ${scopes.map((scope) => `\`${scope}\``).join(' or ')}`] : []),
  ].join('; ');

/** The alternatives, one of which a request must fulfil; `{}` is a request without a token. */
const securityOf = ({ auth, scopes = [] }: RestRoute<never>): Record<string, string[]>[] => [
  ...(auth === 'required' ? [] : [{}]),
  { accessToken: [] },
  ...scopes.map((scope) => ({ machineClient: [scope] })),
];

function requestBody(route: RestRoute<never>): object {
  const streamed = Object.fromEntries(
    (route.consumes ?? []).map((mediaType) => [mediaType, { schema: { type: 'string' } }]),
  );
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
  const schema = route.problemExtension
    ? problemShape.extend(route.problemExtension.shape.shape).meta({
        id: `Problem_${route.operationId}`,
        description: 'RFC 9457 problem details with further members.',
      })
    : problemShape;
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}
