import type { GraphQLFormattedError } from 'graphql';

/** The parts of a response that decide its status. */
export interface Outcome {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
}

/**
 * The HTTP status of an executed operation: 200 if its data is an object, even if all its fields are null (GraphQL over
 * HTTP, 6.4: clients read the data of a 2xx only); else the status of the last error.
 */
export function statusOf({ data, errors = [] }: Outcome): number {
  if (isObject(data) || errors.length === 0) return 200;
  return errors.map(statusOfError).findLast((status) => status !== undefined) ?? 500;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

function statusOfError({ extensions }: GraphQLFormattedError): number | undefined {
  const { status } = (extensions?.http ?? {}) as { status?: unknown };
  return typeof status === 'number' ? status : undefined;
}
