import { isJsonObject } from './json-object.ts';

/**
 * JSON Merge Patch (RFC 7396): a key of the patch replaces the same key of the target, recursively inside objects; `null`
 * removes the key; a key that the patch does not contain is unchanged. Returns a new value and changes neither argument.
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
