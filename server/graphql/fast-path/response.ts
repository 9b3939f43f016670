import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { JsonResult } from '../executor/execution.ts';

/** A result as the body and status of a response, as Apollo Server writes it. */
export function responseOf(
  { data, errors }: JsonResult,
  format: (errors: readonly GraphQLError[]) => readonly GraphQLFormattedError[],
): { status: number; body: string } {
  if (errors.length === 0) return { status: 200, body: `{"data":${data}}\n` };
  return {
    // Clients read the data of a 2xx only, so errors beside data do not change the status.
    status: data === 'null' ? statusOf(errors) : 200,
    body: `{"errors":${JSON.stringify(format(errors))},"data":${data}}\n`,
  };
}

/** An error as Apollo Server passes it to `formatError`. */
export function enriched(error: GraphQLError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions;
  return {
    ...error.toJSON(),
    extensions: { ...extensions, code: extensions.code ?? 'INTERNAL_SERVER_ERROR' },
  };
}

/** Apollo Server takes the status from the last error that has one. */
const statusOf = (errors: readonly GraphQLError[]): number =>
  errors
    .map(({ extensions }) => (extensions.http as { status?: number } | undefined)?.status)
    .findLast(Boolean) ?? 200;
