import { readFileSync } from 'node:fs';
import type { JsonObject } from '../json-object.ts';

/** One request of an operation with its answer, recorded from a running service with demo data. */
export interface ApiExample {
  request: {
    params?: Readonly<Record<string, unknown>>;
    query?: Readonly<Record<string, unknown>>;
    /** The media type of the body. */
    type?: string;
    /** The body; of a form its fields, with a file name for each file. */
    body?: unknown;
  };
  answer: {
    status: number;
    type?: string;
    /** Absent if there is no body, or if it is a picture or a long text. */
    body?: unknown;
  };
}

/** The examples of a service by the ids of its operations. */
export type ApiExamples = Readonly<Record<string, ApiExample>>;

/** Reads the examples of a service, which `npm run examples` records. */
export const readExamples = (file: URL): ApiExamples => JSON.parse(readFileSync(file, 'utf8')) as ApiExamples;

interface Operation {
  operationId: string;
  parameters?: readonly { name: string; in: string }[];
  requestBody?: { content: Record<string, object> };
  responses: Record<string, { content?: Record<string, object> }>;
}

/** A copy of an OpenAPI document with the examples in it. */
export function withExamples(document: JsonObject, examples: ApiExamples): JsonObject {
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>).map(
    ([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          withExample(operation, examples[operation.operationId]),
        ]),
      ),
    ],
  );
  return { ...document, paths: Object.fromEntries(paths) };
}

function withExample(operation: Operation, example: ApiExample | undefined): Operation {
  if (!example) return operation;
  const { request, answer } = example;
  const values: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = {
    path: request.params,
    query: request.query,
  };
  const parameters = operation.parameters?.map((parameter) => {
    const value = values[parameter.in]?.[parameter.name];
    return value === undefined ? parameter : { ...parameter, example: value };
  });
  const { requestBody } = operation;
  const response = operation.responses[answer.status];
  return {
    ...operation,
    ...(parameters && { parameters }),
    ...(requestBody && {
      requestBody: { ...requestBody, content: withBody(requestBody.content, request.type, request.body) },
    }),
    responses: {
      ...operation.responses,
      ...(response?.content && {
        [answer.status]: { ...response, content: withBody(response.content, answer.type, answer.body) },
      }),
    },
  };
}

const withBody = (
  content: Record<string, object>,
  type: string | undefined,
  body: unknown,
): Record<string, object> =>
  type === undefined || body === undefined || !(type in content)
    ? content
    : { ...content, [type]: { ...content[type], example: body } };
