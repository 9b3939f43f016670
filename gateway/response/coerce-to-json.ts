import type { JsonObject } from '#server/json-object.ts';
import type { FieldShape, ListShape, ObjectShape, Shape } from './response-shape.ts';
import { invalid, undecided, type ResultCoercion } from './result-coercion.ts';

/**
 * Coerces a value to its shape and appends it to `text` as JSON, in one pass. Undefined for null, and for a value that
 * becomes null because it or a value inside it is invalid; the calling code then decides whether null is allowed there.
 *
 * Written for speed (docs/performance.md, "Where the time goes"; `npm run bench -- "platform heavy"`: 0.95 of the CPU of the
 * baseline, which calls `JSON.stringify`):
 * - The text only grows at its end, in as few pieces as possible. V8 keeps a concatenated string as a tree of its pieces,
 *   and each piece costs again when the response is sent.
 * - `isOpen`: a string was written last, and its closing quote is part of the next piece.
 * - A value that is at several paths is written once for each shape.
 */
export function coerceToJson(
  text: string,
  shape: Shape,
  value: unknown,
  coercion: ResultCoercion,
): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (shape.kind === 'leaf') {
    const own = shape.write(value);
    if (own === undefined) return invalid(coercion);
    return text + own;
  }
  const known = coercion.repeatedValues?.get(value);
  if (known === undefined) return writeComposite(text, shape, value, coercion);
  if (known.shape !== shape) {
    const own = writeComposite('', shape, value, coercion);
    if (own === undefined) return undefined;
    known.shape = shape;
    known.text = own;
  }
  return text + known.text;
}

function writeComposite(
  text: string,
  shape: Exclude<Shape, { kind: 'leaf' }>,
  value: unknown,
  coercion: ResultCoercion,
): string | undefined {
  if (shape.kind === 'list') return writeList(text, shape, value, coercion);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undecided(coercion);
  if (shape.kind === 'object') return writeObject(text, shape, value as JsonObject, coercion);
  const concrete = shape.of((value as JsonObject)['__typename']);
  return concrete ? writeObject(text, concrete, value as JsonObject, coercion) : undecided(coercion);
}

function writeList(
  text: string,
  { item }: ListShape,
  value: unknown,
  coercion: ResultCoercion,
): string | undefined {
  if (!Array.isArray(value)) return undecided(coercion);
  if (value.length === 0) return `${text}[]`;
  let written = text;
  let isOpen = false;
  let isValid = true;
  for (let index = 0; index < value.length; index += 1) {
    const element: unknown = value[index];
    const separator = index === 0 ? '[' : isOpen ? '",' : ',';
    isOpen = false;
    if (needsNoEscaping(item.shape, element, coercion)) {
      written += `${separator}"${element}`;
      isOpen = true;
      continue;
    }
    const start = written + separator;
    const next = coerceToJson(start, item.shape, element, coercion);
    // The remaining elements are coerced all the same, because they may need the fallback.
    if (next === undefined && item.nonNull) isValid = false;
    written = next ?? `${start}null`;
  }
  return isValid ? written + (isOpen ? '"]' : ']') : invalid(coercion);
}

function writeObject(
  text: string,
  shape: ObjectShape,
  value: JsonObject,
  coercion: ResultCoercion,
): string | undefined {
  const { typename, fields } = shape;
  if (value['__typename'] !== undefined && value['__typename'] !== typename) return undecided(coercion);
  if (fields.length === 0) return `${text}{}`;
  let written = text;
  let isOpen = false;
  let isValid = true;
  for (let index = 0; index < fields.length; index += 1) {
    const { key, prefix, slot } = fields[index] as FieldShape;
    const given = value[key];
    if (slot === undefined) {
      // A subgraph may return an interface's name under an alias of `__typename`; the shape cannot decide the type then.
      if (given !== undefined && given !== null && given !== typename) return undecided(coercion);
      written = written + (isOpen ? prefix.stringAfterString : prefix.string) + typename;
      isOpen = true;
      continue;
    }
    if (needsNoEscaping(slot.shape, given, coercion)) {
      written = written + (isOpen ? prefix.stringAfterString : prefix.string) + given;
      isOpen = true;
      continue;
    }
    const start = written + (isOpen ? prefix.valueAfterString : prefix.value);
    isOpen = false;
    const next = coerceToJson(start, slot.shape, given, coercion);
    // The remaining fields are coerced all the same, as in lists.
    if (next === undefined && slot.nonNull) isValid = false;
    written = next ?? `${start}null`;
  }
  return isValid ? written + (isOpen ? '"}' : '}') : invalid(coercion);
}

/** Whether the value is a string that can be written between quotes as it is. */
const needsNoEscaping = (shape: Shape, value: unknown, { hasNoEscapes }: ResultCoercion): value is string =>
  hasNoEscapes && typeof value === 'string' && shape.kind === 'leaf' && shape.acceptsAnyString;
