import type { JsonObject } from '#server/json-object.ts';
import type { ListShape, ObjectShape, Shape } from './response-shape.ts';
import { invalid, undecided, type ResultCoercion } from './result-coercion.ts';

/** The same as `coerceToJson`, with values instead of JSON text as the result. */
export function coerceToValue(shape: Shape, value: unknown, coercion: ResultCoercion): unknown {
  if (value === null || value === undefined) return undefined;
  switch (shape.kind) {
    case 'leaf':
      if (shape.write(value) !== undefined) return value;
      return invalid(coercion);
    case 'list':
      return toList(shape, value, coercion);
    case 'object':
    case 'abstract': {
      if (typeof value !== 'object' || Array.isArray(value)) return undecided(coercion);
      const concrete = shape.kind === 'object' ? shape : shape.of((value as JsonObject)['__typename']);
      return concrete ? toObject(concrete, value as JsonObject, coercion) : undecided(coercion);
    }
  }
}

function toList({ item }: ListShape, value: unknown, coercion: ResultCoercion): unknown[] | undefined {
  if (!Array.isArray(value)) return undecided(coercion);
  const list: unknown[] = [];
  let isValid = true;
  for (const element of value) {
    const coerced = coerceToValue(item.shape, element, coercion);
    if (coerced === undefined && item.nonNull) isValid = false;
    list.push(coerced ?? null);
  }
  return isValid ? list : invalid(coercion);
}

function toObject(
  { typename, fields }: ObjectShape,
  value: JsonObject,
  coercion: ResultCoercion,
): JsonObject | undefined {
  if (value['__typename'] !== undefined && value['__typename'] !== typename) return undecided(coercion);
  const object: JsonObject = {};
  let isValid = true;
  for (const { key, slot } of fields) {
    const given = value[key];
    if (slot === undefined) {
      if (given !== undefined && given !== null && given !== typename) return undecided(coercion);
      object[key] = typename;
      continue;
    }
    const coerced = coerceToValue(slot.shape, given, coercion);
    if (coerced === undefined && slot.nonNull) isValid = false;
    object[key] = coerced ?? null;
  }
  return isValid ? object : invalid(coercion);
}
