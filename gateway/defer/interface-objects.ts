import {
  BREAK,
  getNamedType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';

const known = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/**
 * Whether the document selects an interface that is an object type in a subgraph (`@interfaceObject`). If such a field is
 * fetched from this subgraph, the planner fetches the concrete type of its objects with a deferred part only, so that the
 * primary part does not know it.
 */
export function selectsInterfaceObject(
  supergraphSchema: GraphQLSchema,
  apiSchema: GraphQLSchema,
  document: DocumentNode,
): boolean {
  const names = interfaceObjectsOf(supergraphSchema);
  if (names.size === 0) return false;
  const types = new TypeInfo(apiSchema);
  let isSelected = false;
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const type = types.getType();
        isSelected ||= type ? names.has(getNamedType(type).name) : false;
        return isSelected ? BREAK : undefined;
      },
    }),
  );
  return isSelected;
}

function interfaceObjectsOf(schema: GraphQLSchema): ReadonlySet<string> {
  const names = known.get(schema) ?? findInterfaceObjects(schema);
  known.set(schema, names);
  return names;
}

const findInterfaceObjects = (schema: GraphQLSchema): ReadonlySet<string> =>
  new Set(
    Object.values(schema.getTypeMap()).flatMap(({ name, astNode }) =>
      astNode?.directives?.some(
        (directive) =>
          directive.name.value === 'join__type' &&
          directive.arguments?.some(
            (argument) =>
              argument.name.value === 'isInterfaceObject' &&
              argument.value.kind === Kind.BOOLEAN &&
              argument.value.value,
          ),
      )
        ? [name]
        : [],
    ),
  );
