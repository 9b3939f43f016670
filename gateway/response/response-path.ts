import { isJsonObject } from '#server/json-object.ts';
import type { RepeatedValues } from './repeated-values.ts';

/** A path of the query planner: response keys from the root, and `@` for every element of a list. */
export type FlattenPath = readonly string[];

/** A path as GraphQL errors have it: response keys and list indexes. */
export type ResponsePath = readonly (string | number)[];

/**
 * The non-null values at a path, in the order of the response. A repeated value is visited once.
 * @throws if the data has a list instead of an object or the other way round
 */
export function valuesAt(root: unknown, path: FlattenPath, repeatedValues?: RepeatedValues): unknown[] {
  const found: unknown[] = [];
  collect(root, 0, { path, found, repeatedValues, visited: repeatedValues && new Set() });
  return found;
}

interface Walk {
  readonly path: FlattenPath;
  readonly found: unknown[];
  readonly repeatedValues: RepeatedValues | undefined;
  readonly visited: Set<object> | undefined;
}

function collect(value: unknown, depth: number, walk: Walk): void {
  if (value === null || value === undefined) return;
  if (walk.visited && walk.repeatedValues?.has(value)) {
    if (walk.visited.has(value)) return;
    walk.visited.add(value);
  }
  const step = walk.path[depth];
  if (step === undefined) walk.found.push(value);
  else if (step === '@') {
    if (!Array.isArray(value)) throw invalidValue(walk.path, depth, 'a list');
    for (const element of value) collect(element, depth + 1, walk);
  } else {
    if (Array.isArray(value)) throw invalidValue(walk.path, depth, 'an object');
    if (isJsonObject(value)) collect(value[step], depth + 1, walk);
  }
}

interface LocatedValue {
  readonly path: ResponsePath;
  readonly value: unknown;
}

/** The non-null values at a path with their response paths; a repeated value with each of its paths. */
export function locatedValuesAt(root: unknown, path: FlattenPath): LocatedValue[] {
  const found: LocatedValue[] = [];
  locate(root, path, [], found);
  return found;
}

function locate(value: unknown, path: FlattenPath, at: ResponsePath, found: LocatedValue[]): void {
  if (value === null || value === undefined) return;
  const [step, ...rest] = path;
  if (step === undefined) found.push({ path: at, value });
  else if (step !== '@') {
    if (isJsonObject(value)) locate(value[step], rest, [...at, step], found);
  } else if (Array.isArray(value))
    for (const [index, element] of value.entries()) locate(element, rest, [...at, index], found);
}

const invalidValue = (path: FlattenPath, depth: number, expected: string) =>
  new Error(`Expected ${expected} at "${path.slice(0, depth).join('.')}" of the response.`);
