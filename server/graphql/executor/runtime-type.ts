import { GraphQLError, isObjectType, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { AbstractOutput, ResolvedField } from './outputs.ts';

/** The object type whose name `resolveType` has returned for a value. @throws GraphQLError if it has none, as in graphql-js */
export function runtimeType(
  schema: GraphQLSchema,
  { type }: AbstractOutput,
  name: unknown,
  value: unknown,
  { parentType, definition, nodes }: ResolvedField,
): GraphQLObjectType {
  const coordinate = `${parentType.name}.${definition.name}`;
  const must = `Abstract type "${type.name}" must resolve to an Object type at runtime for field "${coordinate}"`;
  if (name === null || name === undefined)
    throw new GraphQLError(
      `${must}. Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
      { nodes },
    );
  if (isObjectType(name))
    throw new GraphQLError(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  if (typeof name !== 'string')
    throw new GraphQLError(`${must} with value ${inspect(value)}, received "${inspect(name)}".`);
  const found = schema.getType(name);
  const was = `Abstract type "${type.name}" was resolved to a`;
  if (!found)
    throw new GraphQLError(`${was} type "${name}" that does not exist inside the schema.`, { nodes });
  if (!isObjectType(found)) throw new GraphQLError(`${was} non-object type "${name}".`, { nodes });
  if (!schema.isSubType(type, found))
    throw new GraphQLError(`Runtime Object type "${found.name}" is not a possible type for "${type.name}".`, {
      nodes,
    });
  return found;
}

/** The error for a value for which the object type's `isTypeOf` returns false. */
export const wrongType = (type: GraphQLObjectType, value: unknown, { nodes }: ResolvedField): GraphQLError =>
  new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, { nodes });
