import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { unwrapResolverError } from '@apollo/server/errors';
import { refusalOfDatabase } from '../database/refusals.ts';
import { ERRORS, INTERNAL_MESSAGE, PlatformError, type ErrorCode } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';

/** The platform's codes for errors of graphql-js and Apollo. */
const OF_APOLLO: Record<string, ErrorCode> = {
  BAD_USER_INPUT: 'VALIDATION_FAILED',
  OPERATION_RESOLUTION_FAILURE: 'VALIDATION_FAILED',
};

/** Codes of Apollo and graphql-http that clients know; they are sent unchanged. */
const UNCHANGED = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/** Whether `code` is in the platform's table of errors. */
export const isPlatformCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERRORS, code);

/**
 * Translates an error for GraphQL clients: `extensions.code` is the same code as in REST, and `extensions.http.status` its
 * status. An error that is not in the table is logged and masked.
 */
export function formatGraphqlError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  log: Logger,
): GraphQLFormattedError {
  const resolverError = unwrapResolverError(thrown);
  const original = refusalOfDatabase(resolverError) ?? resolverError;
  const { message, path, locations } = formatted;
  const place = { ...(locations && { locations }), ...(path && { path }) };
  if (original instanceof PlatformError) {
    if (original.status >= 500) log.error({ err: original.cause ?? original }, original.message);
    const shown = original.inGraph ?? original;
    return { message: shown.message, ...place, extensions: extensionsOf(shown) };
  }
  const refusal = refusalOfInput(thrown);
  if (refusal) return { message, ...place, extensions: extensionsOf(refusal) };
  const code = formatted.extensions?.code;
  if (typeof code === 'string' && UNCHANGED.has(code)) return { message, ...place, extensions: { code } };
  const own = isPlatformCode(code) ? code : typeof code === 'string' ? OF_APOLLO[code] : undefined;
  if (own) return { message, ...place, extensions: { code: own, http: { status: ERRORS[own].status } } };
  log.error({ err: original }, 'a resolver failed');
  return { message: INTERNAL_MESSAGE, ...place, extensions: { code: 'INTERNAL', http: { status: 500 } } };
}

/**
 * The error with which a scalar refused a literal or a variable. Validation and coercion wrap it in an error whose message
 * names the place.
 */
function refusalOfInput(thrown: unknown): PlatformError | undefined {
  let error = thrown;
  while (error instanceof GraphQLError) error = error.originalError;
  return error instanceof PlatformError ? error : undefined;
}

/** An error of a variable, to which graphql-js gives no code; one that a scalar of ours has thrown keeps its own. */
export const invalidVariable = (error: GraphQLError): GraphQLError =>
  refusalOfInput(error)
    ? error
    : new GraphQLError(error.message, {
        nodes: error.nodes,
        extensions: extensionsOf(new PlatformError('VALIDATION_FAILED', error.message)),
      });

export function extensionsOf(error: PlatformError): Record<string, unknown> {
  return {
    code: error.code,
    http: { status: error.status },
    ...(error.errors && { errors: error.errors }),
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
  };
}

/** The response to a request that was refused before its execution (GraphQL over HTTP). */
export const refusalBody = (error: PlatformError) => ({
  errors: [{ message: error.message, extensions: extensionsOf(error) }],
});

/** A PlatformError as a GraphQLError, for a refusal before execution. */
export const graphqlErrorOf = (error: PlatformError): GraphQLError =>
  new GraphQLError(error.message, { extensions: extensionsOf(error) });
