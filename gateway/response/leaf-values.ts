import { isEnumType, isSpecifiedScalarType, type GraphQLLeafType } from 'graphql';
import { quoted } from '#server/graphql/quoted.ts';
import { jsonOf } from './json-text.ts';

/** Writes a non-null value as JSON; undefined if it is not a value of the type. */
export type LeafWriter = (value: unknown) => string | undefined;

/** Accepts the same values as @apollo/gateway: built-in scalars and enums are checked, custom scalars accept any value. */
export function leafWriter(type: GraphQLLeafType): LeafWriter {
  if (isEnumType(type)) {
    const texts = new Map<unknown, string>(type.getValues().map(({ name }) => [name, quoted(name)]));
    return (value) => texts.get(value);
  }
  return isSpecifiedScalarType(type) ? BUILT_IN[type.name as keyof typeof BUILT_IN] : jsonOf;
}

/** Whether every string is a value of the type: true for `String`, `ID` and custom scalars. */
export const acceptsAnyString = (type: GraphQLLeafType): boolean =>
  !isEnumType(type) && (!isSpecifiedScalarType(type) || type.name === 'String' || type.name === 'ID');

/** From this number on JavaScript writes a number with an exponent, which GraphQL does not allow in an integer. */
const EXPONENT_FROM = 1e21;

const isWhole = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) < EXPONENT_FROM;

const BUILT_IN = {
  String: (value) => (typeof value === 'string' ? quoted(value) : undefined),
  ID: (value) => (typeof value === 'string' ? quoted(value) : isWhole(value) ? String(value) : undefined),
  Int: (value) => (isWhole(value) ? String(value) : undefined),
  Float: (value) => (typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined),
  Boolean: (value) => (value === true ? 'true' : value === false ? 'false' : undefined),
} satisfies Record<string, LeafWriter>;
