import { isValues } from './merge.ts';

/** From the root to values in the response: field names, and `@` for every element of a list. */
export type FlattenPath = readonly string[];

/** A place in the response, as errors name it. */
export type ResponsePath = readonly (string | number)[];

/**
 * The values at a path, all those that are not null, in the order of the response.
 * @throws where a list stands in an object's place or the other way round
 */
export function valuesAt(root: unknown, path: FlattenPath): unknown[] {
  const found: unknown[] = [];
  collect(root, path, 0, found);
  return found;
}

function collect(value: unknown, path: FlattenPath, depth: number, found: unknown[]): void {
  if (value === null || value === undefined) return;
  const step = path[depth];
  if (step === undefined) found.push(value);
  else if (step === '@') {
    if (!Array.isArray(value)) throw misshapen(path, depth, 'a list');
    for (const element of value) collect(element, path, depth + 1, found);
  } else {
    if (Array.isArray(value)) throw misshapen(path, depth, 'an object');
    if (isValues(value)) collect(value[step], path, depth + 1, found);
  }
}

/** Where the values stand that `valuesAt` gives, one path for each and in the same order. */
export function placesAt(root: unknown, path: FlattenPath): ResponsePath[] {
  const places: ResponsePath[] = [];
  locate(root, path, 0, [], places);
  return places;
}

function locate(
  value: unknown,
  path: FlattenPath,
  depth: number,
  place: (string | number)[],
  places: ResponsePath[],
): void {
  if (value === null || value === undefined) return;
  const step = path[depth];
  if (step === undefined) places.push([...place]);
  else if (step === '@') {
    if (!Array.isArray(value)) return;
    for (const [index, element] of value.entries()) {
      place.push(index);
      locate(element, path, depth + 1, place, places);
      place.pop();
    }
  } else if (isValues(value)) {
    place.push(step);
    locate(value[step], path, depth + 1, place, places);
    place.pop();
  }
}

const misshapen = (path: FlattenPath, depth: number, expected: string) =>
  new Error(`Expected ${expected} at "${path.slice(0, depth).join('.')}" of the response.`);
