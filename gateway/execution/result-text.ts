import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

type FormatError = (error: GraphQLError) => GraphQLFormattedError;

/** A result as JSON, with its parts in the order in which Apollo Server has them: errors first. */
export function resultText(
  { errors = [], data, extensions }: ExecutionResult,
  formatError: FormatError,
): string {
  return responseText(errors, data === undefined ? undefined : JSON.stringify(data), {
    formatError,
    extensions,
  });
}

/** @param data JSON; undefined where nothing was executed */
export function responseText(
  errors: readonly GraphQLError[],
  data: string | undefined,
  { formatError, extensions }: { formatError: FormatError; extensions?: ExecutionResult['extensions'] },
): string {
  const parts: string[] = [];
  if (errors.length > 0) parts.push(`"errors":${JSON.stringify(errors.map(formatError))}`);
  if (data !== undefined) parts.push(`"data":${data}`);
  if (extensions) parts.push(`"extensions":${JSON.stringify(extensions)}`);
  return `{${parts.join(',')}}`;
}
