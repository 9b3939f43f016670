import { GraphQLError } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { extensionsOf } from '#server/graphql/errors.ts';
import { isJsonObject } from '#server/json-object.ts';
import type { ResponsePath } from './response-path.ts';

/** The maximum number of errors of one response; a client does not need more to find the fault. */
const MAX_ERRORS = 20;

/**
 * One error for each path at which a subgraph returned a value and the response has null, because the value or a value
 * inside it is invalid. Without the error a client would take the null for the service's answer.
 * @param missingEntities entities that do not exist or that the caller may not see; null is correct for them
 */
export function coercionErrors(
  given: unknown,
  shaped: unknown,
  missingEntities: ReadonlySet<unknown> = new Set(),
): GraphQLError[] {
  const errors: GraphQLError[] = [];
  find(given, shaped, [], errors);
  return missingEntities.size === 0
    ? errors
    : errors.filter(({ path }) => !containsOneOf(missingEntities, valueAt(given, path)));
}

const valueAt = (data: unknown, path: ResponsePath = []): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], data);

/** Whether the value is or contains one of the entities. */
function containsOneOf(missingEntities: ReadonlySet<unknown>, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    missingEntities.has(value) || Object.values(value).some((inner) => containsOneOf(missingEntities, inner))
  );
}

/** A subgraph's value that the schema does not allow at this path. */
export const invalidValue = (path: ResponsePath): GraphQLError =>
  new GraphQLError(INVALID_VALUE.message, {
    path: path.length > 0 ? path : undefined,
    extensions: extensionsOf(INVALID_VALUE),
  });

const INVALID_VALUE = new PlatformError(
  'INTERNAL',
  'A service returned a value here that its schema does not allow.',
);

function find(given: unknown, shaped: unknown, path: ResponsePath, errors: GraphQLError[]): void {
  if (given === null || given === undefined || errors.length >= MAX_ERRORS) return;
  if (shaped === null) errors.push(invalidValue(path));
  else if (Array.isArray(shaped) && Array.isArray(given))
    for (const [index, element] of shaped.entries()) find(given[index], element, [...path, index], errors);
  else if (isJsonObject(shaped) && isJsonObject(given))
    for (const [key, value] of Object.entries(shaped)) find(given[key], value, [...path, key], errors);
}
