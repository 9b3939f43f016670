import { isJsonObject, type JsonObject } from '#server/json-object.ts';

/**
 * Merges a subgraph's answer into the response data: objects field by field, lists of equal length element by element;
 * any other value is replaced. New values are not copied.
 */
export function merge(target: JsonObject, source: JsonObject): void {
  for (const key in source) {
    const value = source[key];
    // Assigning a subgraph's `__proto__` would set the prototype.
    if (value === undefined || key === '__proto__') continue;
    const known = target[key];
    if (known === value) continue;
    if (typeof known !== 'object' || known === null || typeof value !== 'object' || value === null)
      target[key] = value;
    else if (Array.isArray(known))
      if (Array.isArray(value) && value.length === known.length) mergeLists(known, value);
      else target[key] = value;
    else if (Array.isArray(value)) target[key] = value;
    else merge(known as JsonObject, value as JsonObject);
  }
}

function mergeLists(target: unknown[], source: readonly unknown[]): void {
  for (let index = 0; index < source.length; index += 1) {
    const known = target[index];
    const value = source[index];
    if (known === value) continue;
    if (isJsonObject(known) && isJsonObject(value)) merge(known, value);
    else target[index] = value;
  }
}

/** A deep copy of JSON values. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: JsonObject = {};
  for (const key in value) if (key !== '__proto__') copy[key] = copyOf(value[key]);
  return copy as T;
}
