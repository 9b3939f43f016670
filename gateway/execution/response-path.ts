import { isValues } from './merge.ts';
import type { Shared } from './shared.ts';

/** From the root to values in the response: field names, and `@` for every element of a list. */
export type FlattenPath = readonly string[];

/** A place in the response, as errors name it. */
export type ResponsePath = readonly (string | number)[];

/**
 * The values at a path, all those that are not null, in the order of the response. What stands at several places is
 * gone into once.
 * @throws where a list stands in an object's place or the other way round
 */
export function valuesAt(root: unknown, path: FlattenPath, shared?: Shared): unknown[] {
  const found: unknown[] = [];
  collect(root, 0, { path, found, shared, visited: shared && new Set() });
  return found;
}

interface Walk {
  readonly path: FlattenPath;
  readonly found: unknown[];
  readonly shared: Shared | undefined;
  readonly visited: Set<object> | undefined;
}

function collect(value: unknown, depth: number, walk: Walk): void {
  if (value === null || value === undefined) return;
  if (walk.visited && walk.shared?.has(value)) {
    if (walk.visited.has(value)) return;
    walk.visited.add(value);
  }
  const step = walk.path[depth];
  if (step === undefined) walk.found.push(value);
  else if (step === '@') {
    if (!Array.isArray(value)) throw misshapen(walk.path, depth, 'a list');
    for (const element of value) collect(element, depth + 1, walk);
  } else {
    if (Array.isArray(value)) throw misshapen(walk.path, depth, 'an object');
    if (isValues(value)) collect(value[step], depth + 1, walk);
  }
}

export interface Place {
  readonly place: ResponsePath;
  readonly value: unknown;
}

/** The values at a path with where they stand, each place of those that stand at several. */
export function placesAt(root: unknown, path: FlattenPath): Place[] {
  const places: Place[] = [];
  locate(root, path, [], places);
  return places;
}

function locate(value: unknown, path: FlattenPath, place: ResponsePath, places: Place[]): void {
  if (value === null || value === undefined) return;
  const [step, ...rest] = path;
  if (step === undefined) places.push({ place, value });
  else if (step !== '@') {
    if (isValues(value)) locate(value[step], rest, [...place, step], places);
  } else if (Array.isArray(value))
    for (const [index, element] of value.entries()) locate(element, rest, [...place, index], places);
}

const misshapen = (path: FlattenPath, depth: number, expected: string) =>
  new Error(`Expected ${expected} at "${path.slice(0, depth).join('.')}" of the response.`);
