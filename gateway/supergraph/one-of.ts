import type { Schema } from '@apollo/federation-internals';
import { GraphQLInputObjectType, type GraphQLSchema } from 'graphql';

const DIRECTIVE = 'oneOf';

/**
 * Marks the input objects with `@oneOf`, in which a client sets exactly one field. Apollo's composition and planner do not
 * know the directive. So a subgraph passes it on by `@composeDirective`, and graphql-js enforces it by `isOneOf` of the types.
 */
export function markOneOf(apiSchema: GraphQLSchema, supergraphSchema: GraphQLSchema): void {
  for (const type of Object.values(apiSchema.getTypeMap()))
    if (type instanceof GraphQLInputObjectType && hasDirective(supergraphSchema.getType(type.name)))
      type.isOneOf = true;
}

const hasDirective = (type: ReturnType<GraphQLSchema['getType']>): boolean =>
  type?.astNode?.directives?.some(({ name }) => name.value === DIRECTIVE) ?? false;

/** Adds `__Type.isOneOf` to the planner's schema, so that it can be selected. Its values come from the schema of graphql-js. */
export function addIsOneOf(schema: Schema): void {
  const type = schema.type('__Type');
  if (type?.kind !== 'ObjectType' || type.field('isOneOf')) return;
  schema['runWithBuiltInModificationAllowed'](() => type.addField('isOneOf', schema.booleanType()));
}
