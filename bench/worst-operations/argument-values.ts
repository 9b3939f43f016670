import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import type { Chance } from './chance.ts';

/** The values of all numbers. Many numbers are sizes of lists, such as `first`. */
const NUMBERS = [1, 2, 5, 10, 20, 50, 100, 200];
const REPRESENTATIONS = [1, 10, 100, 250, 1_000];
/** With `to: 2026-11-22` they make ranges of a day, a month, a year and ten years. */
const DAYS = ['2026-11-22', '2026-10-23', '2025-11-23', '2016-11-25'];
const TEXTS = [
  'iron-temple',
  'benhc prss dumbel squatt curll rowing pulll legg',
  'chikken brest ricce aple banaan eggg toste milkk',
  '01900000-0000-7000-8000-000000000001',
  'gym-slug',
  'maya@iron.test',
  'demo-password-1',
];

/** The arguments of a field in GraphQL's notation, such as `(first: 200)`: the required ones, and others by chance. */
export function argumentText(args: readonly GraphQLArgument[], chance: Chance): string {
  const given = args.flatMap((arg) =>
    isRequiredArgument(arg) || chance.isHit(0.5)
      ? [`${arg.name}: ${valueText(arg.name, arg.type, chance)}`]
      : [],
  );
  return given.length > 0 ? `(${given.join(', ')})` : '';
}

function valueText(name: string, given: GraphQLInputType, chance: Chance): string {
  if (name === 'representations') return representations(chance);
  const type: GraphQLInputType = isNonNullType(given) ? given.ofType : getNullableType(given);
  if (isListType(type)) return `[${valueText(name, type.ofType, chance)}]`;
  if (isEnumType(type)) return chance.oneOf(type.getValues()).name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => isRequiredInputField(field) || chance.isHit(0.3),
    );
    return `{${fields.map((field) => `${field.name}: ${valueText(field.name, field.type, chance)}`).join(', ')}}`;
  }
  if (!('name' in type)) throw new Error('every other input type has a name');
  return scalarText(name, type.name, chance);
}

function scalarText(name: string, type: string, chance: Chance): string {
  const day = name === 'to' ? '2026-11-22' : chance.oneOf(DAYS);
  const texts: Readonly<Record<string, () => string>> = {
    Int: () => String(chance.oneOf(NUMBERS)),
    Float: () => String(chance.oneOf(NUMBERS)),
    Boolean: () => String(chance.isHit(0.5)),
    Date: () => `"${day}"`,
    DateTime: () => `"${day}T00:00:00Z"`,
    JSON: () => '{}',
    ID: () => '"01900000-0000-7000-8000-000000000001"',
  };
  return texts[type]?.() ?? JSON.stringify(name === 'after' ? '' : chance.oneOf(TEXTS));
}

/** The name of a variable with a list, because 1,000 representations in the text would exceed the limit of tokens. */
function representations(chance: Chance): string {
  return `$r${chance.oneOf(REPRESENTATIONS)}`;
}

/**
 * The variables that the text uses, such as `$r100`: a list of 100 representations of users, gyms, routines, exercises and
 * products in turn; the list of 1,000 contains users only.
 */
export function representationVariables(text: string): {
  definitions: string[];
  values: Record<string, unknown>;
} {
  const counts = REPRESENTATIONS.filter((count) => new RegExp(`\\$r${count}\\b`).test(text));
  const TYPES = ['User', 'Gym', 'WorkoutRoutine', 'Exercise', 'Product'];
  return {
    definitions: counts.map((count) => `$r${count}: [_Any!]!`),
    values: Object.fromEntries(
      counts.map((count) => [
        `r${count}`,
        Array.from({ length: count }, (_, i) => ({
          __typename: TYPES[count === 1_000 ? 0 : i % TYPES.length],
          id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
        })),
      ]),
    ),
  };
}
