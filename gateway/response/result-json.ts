import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

type FormatError = (error: GraphQLError) => GraphQLFormattedError;

/** A result as JSON, with the keys in Apollo Server's order: errors first. */
export function resultJson(
  { errors = [], data, extensions }: ExecutionResult,
  formatError: FormatError,
): string {
  const parts: string[] = [];
  if (errors.length > 0) parts.push(errorsText(errors, formatError));
  if (data !== undefined) parts.push(`"data":${JSON.stringify(data)}`);
  if (extensions) parts.push(`"extensions":${JSON.stringify(extensions)}`);
  return `{${parts.join(',')}}`;
}

/** The beginning of a result with errors as JSON, up to its data. */
export const responseStart = (errors: readonly GraphQLError[], formatError: FormatError): string =>
  `{${errorsText(errors, formatError)},"data":`;

const errorsText = (errors: readonly GraphQLError[], formatError: FormatError): string =>
  `"errors":${JSON.stringify(errors.map(formatError))}`;

/** Whether a result in this form has errors. */
export const hasErrors = (json: string): boolean => json.startsWith('{"errors"');
