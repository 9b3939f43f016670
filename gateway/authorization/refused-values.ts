import type { ProtectedField } from './protected-fields.ts';

/** Removes refused values from the data: a refused field is fetched if a permitted field requires it (`@requires`). */
export function removeRefusedValues(
  data: unknown,
  refused: readonly Pick<ProtectedField, 'path' | 'parents'>[],
): void {
  for (const { path, parents } of refused) remove(data, path, 0, parents);
}

function remove(value: unknown, path: readonly string[], at: number, parents: ReadonlySet<string>): void {
  const key = path[at];
  if (typeof value !== 'object' || value === null || key === undefined) return;
  if (key === '@') {
    if (Array.isArray(value)) for (const element of value) remove(element, path, at + 1, parents);
    return;
  }
  const object = value as Record<string, unknown>;
  if (at < path.length - 1) return remove(object[key], path, at + 1, parents);
  const { __typename: type } = object;
  if (typeof type !== 'string' || parents.has(type)) delete object[key];
}
