import { isJsonObject } from '#server/json-object.ts';

/** A copy with every `$ref`, and every target in a discriminator's `mapping`, renamed. */
export function withReferences<T>(value: T, rename: (reference: string) => string): T {
  if (Array.isArray(value)) return value.map((item) => withReferences(item as unknown, rename)) as T;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === '$ref' && typeof inner === 'string') return [key, rename(inner)];
      if (key === 'mapping' && isJsonObject(inner) && 'propertyName' in value)
        return [
          key,
          Object.fromEntries(Object.entries(inner).map(([name, target]) => [name, rename(String(target))])),
        ];
      return [key, withReferences(inner, rename)];
    }),
  ) as T;
}

/** All references of a document. */
export function referencesIn(value: unknown): string[] {
  const found: string[] = [];
  withReferences(value, (reference) => {
    found.push(reference);
    return reference;
  });
  return found;
}
