/** A JSON object. */
export type Values = Record<string, unknown>;

export const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Merges what a subgraph answered into what is there already: objects field by field, lists of one length element by
 * element; anything else is replaced. What is new is taken over as it is and not copied.
 */
export function merge(target: Values, source: Values): void {
  for (const key in source) {
    const value = source[key];
    // A subgraph's `__proto__` would not become a field but the prototype.
    if (value === undefined || key === '__proto__') continue;
    const known = target[key];
    if (known === value) continue;
    if (typeof known !== 'object' || known === null || typeof value !== 'object' || value === null)
      target[key] = value;
    else if (Array.isArray(known))
      if (Array.isArray(value) && value.length === known.length) mergeLists(known, value);
      else target[key] = value;
    else if (Array.isArray(value)) target[key] = value;
    else merge(known as Values, value as Values);
  }
}

function mergeLists(target: unknown[], source: readonly unknown[]): void {
  for (let index = 0; index < source.length; index += 1) {
    const known = target[index];
    const value = source[index];
    if (known === value) continue;
    if (isValues(known) && isValues(value)) merge(known, value);
    else target[index] = value;
  }
}

/** A copy of JSON values, to be merged into while the original stays as it is. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: Values = {};
  for (const key in value) if (key !== '__proto__') copy[key] = copyOf(value[key]);
  return copy as T;
}
