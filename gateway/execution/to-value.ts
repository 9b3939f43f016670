import type { Values } from './merge.ts';
import type { ListShape, ObjectShape, Shape } from './shape.ts';
import type { Shaping } from './shaping.ts';

/** As `writeJson`, but to values of their own instead of text. */
export function toValue(shape: Shape, value: unknown, shaping: Shaping): unknown {
  if (value === null || value === undefined) return undefined;
  switch (shape.kind) {
    case 'leaf':
      if (shape.write(value) !== undefined) return value;
      shaping.broken = true;
      return undefined;
    case 'list':
      return toList(shape, value, shaping);
    case 'object':
    case 'abstract': {
      if (typeof value !== 'object' || Array.isArray(value)) return odd(shaping);
      const concrete = shape.kind === 'object' ? shape : shape.of((value as Values)['__typename']);
      return concrete ? toObject(concrete, value as Values, shaping) : odd(shaping);
    }
  }
}

function toList({ item }: ListShape, value: unknown, shaping: Shaping): unknown[] | undefined {
  if (!Array.isArray(value)) return odd(shaping);
  const list: unknown[] = [];
  let kept = true;
  for (const element of value) {
    const inside = toValue(item.shape, element, shaping);
    if (inside === undefined && item.nonNull) kept = false;
    list.push(inside ?? null);
  }
  return kept ? list : broken(shaping);
}

function toObject({ typename, fields }: ObjectShape, value: Values, shaping: Shaping): Values | undefined {
  if (value['__typename'] !== undefined && value['__typename'] !== typename) return odd(shaping);
  const object: Values = {};
  let kept = true;
  for (const { key, slot } of fields) {
    const inside = value[key];
    if (slot === undefined) {
      if (inside !== undefined && inside !== null && inside !== typename) return odd(shaping);
      object[key] = typename;
      continue;
    }
    const own = toValue(slot.shape, inside, shaping);
    if (own === undefined && slot.nonNull) kept = false;
    object[key] = own ?? null;
  }
  return kept ? object : broken(shaping);
}

function broken(shaping: Shaping): undefined {
  shaping.broken = true;
}

function odd(shaping: Shaping): undefined {
  shaping.odd = true;
}
