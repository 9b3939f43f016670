import { isJsonObject } from './json-object.ts';
import type { z } from 'zod';

/**
 * The paths of all fields in `value` that `shape` does not declare, such as `sets.0.repz`. A loose object and a record
 * declare every field. zod itself removes undeclared fields without an error, so a misspelt field would be lost.
 */
export function undeclaredFields(shape: z.core.$ZodType, value: unknown, path = ''): string[] {
  const { def } = (shape as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return isJsonObject(value) ? inObject(def, value, path) : [];
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((element, index) => undeclaredFields(def.element, element, join(path, index)))
        : [];
    case 'tuple':
      return Array.isArray(value)
        ? def.items.flatMap((item, index) => undeclaredFields(item, value[index], join(path, index)))
        : [];
    case 'record':
      return isJsonObject(value)
        ? Object.entries(value).flatMap(([key, one]) => undeclaredFields(def.valueType, one, join(path, key)))
        : [];
    case 'union':
      return fewest(def.options.map((option) => undeclaredFields(option, value, path)));
    case 'intersection': {
      const right = new Set(undeclaredFields(def.right, value, path));
      return undeclaredFields(def.left, value, path).filter((field) => right.has(field));
    }
    case 'pipe': // z.preprocess is a pipe that begins with a transform
      return undeclaredFields(def.in._zod.def.type === 'transform' ? def.out : def.in, value, path);
    case 'lazy':
      return undeclaredFields(def.getter(), value, path);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return undeclaredFields(def.innerType, value, path);
    default:
      return [];
  }
}

/** The names of the top-level fields that an object's shape, or any member of a union, declares. */
export function declaredFields(shape: z.core.$ZodType): string[] {
  const { def } = (shape as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return Object.keys(def.shape);
  if (def.type === 'union') return [...new Set(def.options.flatMap(declaredFields))];
  if (def.type === 'pipe') return declaredFields(def.in._zod.def.type === 'transform' ? def.out : def.in);
  if ('innerType' in def) return declaredFields(def.innerType);
  return def.type === 'array' ? declaredFields(def.element) : [];
}

function inObject(def: z.core.$ZodObjectDef, value: Record<string, unknown>, path: string): string[] {
  const isLoose = def.catchall !== undefined && def.catchall._zod.def.type !== 'never';
  return Object.entries(value).flatMap(([key, one]) => {
    const declared = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    if (declared) return undeclaredFields(declared, one, join(path, key));
    return isLoose ? [] : [join(path, key)];
  });
}

const fewest = (alternatives: string[][]): string[] =>
  alternatives.toSorted((one, other) => one.length - other.length)[0] ?? [];

const join = (path: string, key: string | number): string => (path ? `${path}.${key}` : String(key));
