import { isJsonObject } from './json-object.ts';

/**
 * JSON Merge Patch (RFC 7396): a given key replaces that key, recursively inside objects; `null` removes it; an absent key
 * is unchanged. Returns a new value and changes neither argument.
 */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}
