import { isEnumType, isSpecifiedScalarType, type GraphQLLeafType } from 'graphql';
import { jsonOf, quoted } from './json-text.ts';

/** Writes a value that is not null; undefined for one that is not of the type. */
export type LeafWriter = (value: unknown) => string | undefined;

/** As @apollo/gateway decides what a leaf may be: strictly for the types that GraphQL has itself, anything for scalars of one's own. */
export function leafWriter(type: GraphQLLeafType): LeafWriter {
  if (isEnumType(type)) {
    const texts = new Map<unknown, string>(type.getValues().map(({ name }) => [name, quoted(name)]));
    return (value) => texts.get(value);
  }
  return isSpecifiedScalarType(type) ? BUILT_IN[type.name as keyof typeof BUILT_IN] : jsonOf;
}

/** Whether every string is a value of the type: of the types that GraphQL has itself, `String` and `ID`. */
export const takesAnyText = (type: GraphQLLeafType): boolean =>
  !isEnumType(type) && (!isSpecifiedScalarType(type) || type.name === 'String' || type.name === 'ID');

/** Beyond this a number is written with an exponent, which is no integer. */
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
