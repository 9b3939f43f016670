import { isEnumType, isSpecifiedScalarType, type GraphQLLeafType } from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { quoted } from '../quoted.ts';

/** Serializes a value that is not null, and returns it as JSON. @throws for a value that is not one of the type */
export type LeafWriter = (value: unknown) => string;

/** The writer of a type. Values that `serialize` would return unchanged are written without calling it. */
export function leafWriter(type: GraphQLLeafType): LeafWriter {
  const serialized: LeafWriter = (value) => jsonOf(serialize(type, value));
  if (isEnumType(type)) {
    const texts = new Map(type.getValues().map(({ name, value }) => [value as unknown, quoted(name)]));
    return (value) => texts.get(value) ?? serialized(value);
  }
  if (!isSpecifiedScalarType(type)) return serialized;
  switch (type.name) {
    case 'String':
    case 'ID':
      return (value) => (typeof value === 'string' ? quoted(value) : serialized(value));
    case 'Boolean':
      return (value) => (typeof value === 'boolean' ? String(value) : serialized(value));
    case 'Int':
      return (value) =>
        Number.isInteger(value) && (value as number) === ((value as number) | 0)
          ? String(value)
          : serialized(value);
    default: // Float
      return (value) =>
        typeof value === 'number' && Number.isFinite(value) ? String(value) : serialized(value);
  }
}

function serialize(type: GraphQLLeafType, value: unknown): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized === null || serialized === undefined)
    throw new Error(
      `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
    );
  return serialized;
}

/** Null for a value that JSON does not have, such as a function: the response must have the field. */
function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  const json: string | undefined = JSON.stringify(value); // the declared type of JSON.stringify leaves out undefined
  return json ?? 'null';
}
