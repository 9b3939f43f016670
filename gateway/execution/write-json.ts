import type { Values } from './merge.ts';
import type { FieldShape, ListShape, ObjectShape, Shape } from './shape.ts';
import type { Shaping } from './shaping.ts';

/**
 * Gives a value its shape and writes it as JSON behind a text, in one go. Undefined for null, and for what becomes null
 * because the schema's promises were not kept in it: then whatever holds it decides whether null may stand there.
 *
 * The text only ever grows at its end, by as few pieces as can be: V8 keeps what is added to a string as a tree of its
 * pieces, and each piece costs once more when the whole is sent.
 */
export function writeJson(text: string, shape: Shape, value: unknown, shaping: Shaping): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (shape.kind === 'leaf') {
    const own = shape.write(value);
    if (own === undefined) return broken(shaping);
    return text + own;
  }
  const known = shaping.shared?.get(value);
  if (known === undefined) return writeComposite(text, shape, value, shaping);
  // What stands at several places in one shape is written for the first of them.
  if (known.shape !== shape) {
    const own = writeComposite('', shape, value, shaping);
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
  shaping: Shaping,
): string | undefined {
  if (shape.kind === 'list') return writeList(text, shape, value, shaping);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return odd(shaping);
  if (shape.kind === 'object') return writeObject(text, shape, value as Values, shaping);
  const concrete = shape.of((value as Values)['__typename']);
  return concrete ? writeObject(text, concrete, value as Values, shaping) : odd(shaping);
}

function writeList(text: string, { item }: ListShape, value: unknown, shaping: Shaping): string | undefined {
  if (!Array.isArray(value)) return odd(shaping);
  if (value.length === 0) return `${text}[]`;
  let written = text;
  let isOpen = false;
  let kept = true;
  for (let index = 0; index < value.length; index += 1) {
    const inside: unknown = value[index];
    const separator = index === 0 ? '[' : isOpen ? '",' : ',';
    isOpen = false;
    if (isPlainText(item.shape, inside, shaping)) {
      written += `${separator}"${inside}`;
      isOpen = true;
      continue;
    }
    const start = written + separator;
    const element = writeJson(start, item.shape, inside, shaping);
    // The rest is looked at all the same: it decides whether the answer is odd.
    if (element === undefined && item.nonNull) kept = false;
    written = element ?? `${start}null`;
  }
  return kept ? written + (isOpen ? '"]' : ']') : broken(shaping);
}

function writeObject(text: string, shape: ObjectShape, value: Values, shaping: Shaping): string | undefined {
  const { typename, fields } = shape;
  if (value['__typename'] !== undefined && value['__typename'] !== typename) return odd(shaping);
  if (fields.length === 0) return `${text}{}`;
  let written = text;
  // Whether a string was written last, of which the closing quote is part of what comes next.
  let isOpen = false;
  let kept = true;
  for (let index = 0; index < fields.length; index += 1) {
    const { key, lead, slot } = fields[index] as FieldShape;
    const inside = value[key];
    if (slot === undefined) {
      // What a subgraph said under an alias may be the name of an interface; then it is not for us to say which type it is.
      if (inside !== undefined && inside !== null && inside !== typename) return odd(shaping);
      written = written + (isOpen ? lead.textAfterText : lead.text) + typename;
      isOpen = true;
      continue;
    }
    if (isPlainText(slot.shape, inside, shaping)) {
      written = written + (isOpen ? lead.textAfterText : lead.text) + inside;
      isOpen = true;
      continue;
    }
    const start = written + (isOpen ? lead.valueAfterText : lead.value);
    isOpen = false;
    const next = writeJson(start, slot.shape, inside, shaping);
    // The rest is looked at all the same, as in lists.
    if (next === undefined && slot.nonNull) kept = false;
    written = next ?? `${start}null`;
  }
  return kept ? written + (isOpen ? '"}' : '}') : broken(shaping);
}

/** A string that can be written as it is, between quotes. */
const isPlainText = (shape: Shape, value: unknown, { isPlain }: Shaping): value is string =>
  isPlain && typeof value === 'string' && shape.kind === 'leaf' && shape.isText;

function broken(shaping: Shaping): undefined {
  shaping.broken = true;
}

function odd(shaping: Shaping): undefined {
  shaping.odd = true;
}
