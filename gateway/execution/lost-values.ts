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
 * @param gone entities that no longer exist, or that the caller may not see: null is the truth about these, and no
 * service broke a promise
 */
export function errorsOfLostValues(
  given: unknown,
  shaped: unknown,
  gone: ReadonlySet<unknown> = new Set(),
): GraphQLError[] {
  const errors: GraphQLError[] = [];
  find(given, shaped, [], errors);
  return gone.size === 0 ? errors : errors.filter(({ path }) => !holdsOneOf(gone, valueAt(given, path)));
}

const valueAt = (data: unknown, path: ResponsePath = []): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], data);

/** Whether one of the entities is the value, or lies inside of it. */
function holdsOneOf(gone: ReadonlySet<unknown>, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return gone.has(value) || Object.values(value).some((inner) => holdsOneOf(gone, inner));
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
