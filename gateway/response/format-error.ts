import type { GraphQLFormattedError } from 'graphql';
import { ERRORS } from '#server/errors.ts';
import { formatGraphqlError, isPlatformCode } from '#server/graphql/errors.ts';
import type { Logger } from '#server/observability/logger.ts';

/** Extensions of a subgraph's error that clients may see; all others (an address, a body, a stack) are removed. */
const FORWARDED = ['code', 'errors', 'retryAfterSeconds'] as const;

/**
 * An error with a code of the platform keeps its code and message, whether a subgraph or the gateway has reported it. Any other
 * error of a subgraph is masked. Other errors of the gateway itself are translated by `formatGraphqlError`.
 */
export function formatGatewayError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  log: Logger,
): GraphQLFormattedError {
  const { code, serviceName } = formatted.extensions ?? {};
  if (serviceName === undefined && !isPlatformCode(code)) return formatGraphqlError(formatted, thrown, log);
  const place = {
    ...(formatted.locations && { locations: formatted.locations }),
    ...(formatted.path && { path: formatted.path }),
  };
  if (!isPlatformCode(code)) return formatGraphqlError({ ...formatted, extensions: {} }, thrown, log);
  const extensions = Object.fromEntries(
    FORWARDED.flatMap((name) =>
      formatted.extensions?.[name] === undefined ? [] : [[name, formatted.extensions[name]]],
    ),
  );
  return {
    message: formatted.message,
    ...place,
    extensions: { ...extensions, http: { status: ERRORS[code].status } },
  };
}
