import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

type FormatError = (error: GraphQLError) => GraphQLFormattedError;

/** A result as JSON, with its parts in the order in which Apollo Server has them: errors first. */
export function resultText(
  { errors = [], data, extensions }: ExecutionResult,
  formatError: FormatError,
): string {
  const parts: string[] = [];
  if (errors.length > 0) parts.push(errorsText(errors, formatError));
  if (data !== undefined) parts.push(`"data":${JSON.stringify(data)}`);
  if (extensions) parts.push(`"extensions":${JSON.stringify(extensions)}`);
  return `{${parts.join(',')}}`;
}

/** A result with errors as JSON, up to where its data begin. */
export const responseStart = (errors: readonly GraphQLError[], formatError: FormatError): string =>
  `{${errorsText(errors, formatError)},"data":`;

const errorsText = (errors: readonly GraphQLError[], formatError: FormatError): string =>
  `"errors":${JSON.stringify(errors.map(formatError))}`;
