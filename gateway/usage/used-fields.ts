import {
  isCompositeType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';

/**
 * The schema coordinates of the fields and arguments that a valid document names, e.g. `Query.workouts` and
 * `Query.workouts(first:)`. A document with several operations counts as a whole.
 */
export function usedFields(schema: GraphQLSchema, document: DocumentNode): readonly string[] {
  const found = new Set<string>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const parent = types.getParentType();
        if (!parent || !isCompositeType(parent)) return;
        const { value: name } = node.name;
        if (name.startsWith('__') || parent.name.startsWith('__')) return;
        found.add(`${parent.name}.${name}`);
        for (const argument of node.arguments ?? [])
          found.add(`${parent.name}.${name}(${argument.name.value}:)`);
      },
    }),
  );
  return [...found];
}
