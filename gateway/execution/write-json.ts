import type { Values } from './merge.ts';
import type { FieldShape, ListShape, ObjectShape, Shape } from './shape.ts';
import type { Shaping } from './shaping.ts';

/**
 * Gives a value its shape and writes it as JSON in one go. Undefined for null, and for what becomes null because the
 * schema's promises were not kept in it: then whatever holds it decides whether null may stand there.
 */
export function writeJson(shape: Shape, value: unknown, shaping: Shaping): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (shape.kind === 'leaf') {
    const text = shape.write(value);
    if (text === undefined) shaping.broken = true;
    return text;
  }
  if (shaping.texts === undefined) return writeComposite(shape, value, shaping);
  return writeOnce(shape, value, shaping, shaping.texts);
}

/** What stands at several places in one shape is written for the first of them. */
function writeOnce(
  shape: Exclude<Shape, { kind: 'leaf' }>,
  value: object,
  shaping: Shaping,
  texts: NonNullable<Shaping['texts']>,
): string | undefined {
  if (!shaping.isShared(value)) return writeComposite(shape, value, shaping);
  const known = texts.get(value);
  if (known?.shape === shape) return known.text;
  const text = writeComposite(shape, value, shaping);
  if (text !== undefined) texts.set(value, { shape, text });
  return text;
}

function writeComposite(
  shape: Exclude<Shape, { kind: 'leaf' }>,
  value: unknown,
  shaping: Shaping,
): string | undefined {
  if (shape.kind === 'list') return writeList(shape, value, shaping);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return odd(shaping);
  if (shape.kind === 'object') return writeObject(shape, value as Values, shaping);
  const concrete = shape.of((value as Values)['__typename']);
  return concrete ? writeObject(concrete, value as Values, shaping) : odd(shaping);
}

function writeList({ item }: ListShape, value: unknown, shaping: Shaping): string | undefined {
  if (!Array.isArray(value)) return odd(shaping);
  let text = '[';
  let kept = true;
  for (let index = 0; index < value.length; index += 1) {
    const element = writeJson(item.shape, value[index], shaping);
    // The rest is looked at all the same: it decides whether the answer is odd.
    if (element === undefined && item.nonNull) kept = false;
    text += index === 0 ? (element ?? 'null') : `,${element ?? 'null'}`;
  }
  return kept ? `${text}]` : broken(shaping);
}

function writeObject(shape: ObjectShape, value: Values, shaping: Shaping): string | undefined {
  const { typename, fields } = shape;
  if (value['__typename'] !== undefined && value['__typename'] !== typename) return odd(shaping);
  let text = '{';
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index] as FieldShape;
    const inside = value[field.key];
    if (field.slot === undefined) {
      // What a subgraph said under an alias may be the name of an interface; then it is not for us to say which type it is.
      if (inside !== undefined && inside !== null && inside !== typename) return odd(shaping);
      text += field.text;
      continue;
    }
    const written = writeJson(field.slot.shape, inside, shaping);
    if (written === undefined && field.slot.nonNull) return broken(shaping);
    text += field.lead + (written ?? 'null');
  }
  return `${text}}`;
}

function broken(shaping: Shaping): undefined {
  shaping.broken = true;
}

function odd(shaping: Shaping): undefined {
  shaping.odd = true;
}
