import { GraphQLError } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { extensionsOf } from '#server/graphql/errors.ts';
import { isValues } from './merge.ts';
import type { ResponsePath } from './response-path.ts';

/** More of them say nothing new. */
const MAX_ERRORS = 20;

/**
 * An error for each place where a service gave a value and the response has null, because the value, or one inside it,
 * is not what the schema promises. Without it a client takes such a null for the truth.
 */
export function errorsOfLostValues(given: unknown, shaped: unknown): GraphQLError[] {
  const errors: GraphQLError[] = [];
  find(given, shaped, [], errors);
  return errors;
}

/** A value of a service that the schema does not allow, at this place of the response. */
export const misshapen = (path: ResponsePath): GraphQLError =>
  new GraphQLError(MISSHAPEN.message, {
    path: path.length > 0 ? path : undefined,
    extensions: extensionsOf(MISSHAPEN),
  });

const MISSHAPEN = new PlatformError(
  'INTERNAL',
  'A service gave a value here that its schema does not allow.',
);

function find(given: unknown, shaped: unknown, path: ResponsePath, errors: GraphQLError[]): void {
  if (given === null || given === undefined || errors.length >= MAX_ERRORS) return;
  if (shaped === null) errors.push(misshapen(path));
  else if (Array.isArray(shaped) && Array.isArray(given))
    for (const [index, element] of shaped.entries()) find(given[index], element, [...path, index], errors);
  else if (isValues(shaped) && isValues(given))
    for (const [key, value] of Object.entries(shaped)) find(given[key], value, [...path, key], errors);
}
