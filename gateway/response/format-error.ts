import type { GraphQLFormattedError } from 'graphql';
import { ERRORS } from '#server/errors.ts';
import { formatGraphqlError, isPlatformCode } from '#server/graphql/errors.ts';
import type { Logger } from '#server/observability/logger.ts';

/** What of a subgraph's error is passed on; all else (its address, its body, its stack) stays here. */
const PASSED_ON = ['code', 'http', 'errors', 'retryAfterSeconds'] as const;

/** A subgraph's error keeps its code and message where the code is one of ours; anything else is masked. */
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
    PASSED_ON.flatMap((name) =>
      formatted.extensions?.[name] === undefined ? [] : [[name, formatted.extensions[name]]],
    ),
  );
  return {
    message: formatted.message,
    ...place,
    extensions: { ...extensions, http: { status: ERRORS[code].status } },
  };
}
