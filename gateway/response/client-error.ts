import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import { formatGatewayError } from './format-error.ts';

/** The error that the client may see. */
export const shownError = (error: GraphQLError, log: Logger): GraphQLFormattedError =>
  formatGatewayError(error.toJSON(), error, log);

/** The error that the client may see, as a GraphQLError, because graphql-ws calls `toJSON` of an error. */
export function clientError(thrown: unknown, log: Logger): GraphQLError {
  const error =
    thrown instanceof GraphQLError
      ? thrown
      : new GraphQLError('a subgraph failed', {
          originalError: thrown instanceof Error ? thrown : undefined,
        });
  const { message, path, extensions } = shownError(error, log);
  return new GraphQLError(message, { path, extensions });
}
