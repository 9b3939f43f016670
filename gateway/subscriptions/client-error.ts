import { GraphQLError } from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import { formatGatewayError } from '../response/format-error.ts';

/** The error that the client may see, as a GraphQLError, because graphql-ws calls `toJSON` of an error. */
export function clientError(thrown: unknown, log: Logger): GraphQLError {
  const error =
    thrown instanceof GraphQLError
      ? thrown
      : new GraphQLError('a subgraph failed', {
          originalError: thrown instanceof Error ? thrown : undefined,
        });
  const formatted = formatGatewayError(error.toJSON(), error, log);
  return new GraphQLError(formatted.message, { path: formatted.path, extensions: formatted.extensions });
}
