import type { GraphQLFormattedError } from 'graphql';

/** A response as far as its status depends on it. */
export interface Outcome {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
}

/**
 * The HTTP status of an operation that was executed: 200 with anything at all in its data; where nothing is, what the
 * last error says. A fault inside of a service stays an error of the operation, not one of the gateway.
 */
export function statusOf({ data, errors }: Outcome): number {
  if (!errors || Object.values(data ?? {}).some((value) => value !== null)) return 200;
  const { code, http } = errors.findLast(hasStatus)?.extensions ?? {};
  return code === 'INTERNAL' ? 200 : ((http as { status?: number } | undefined)?.status ?? 200);
}

const hasStatus = ({ extensions }: GraphQLFormattedError): boolean =>
  typeof extensions?.http === 'object' && extensions.http !== null && 'status' in extensions.http;
