import { isAbstractType, isInterfaceType, type GraphQLSchema } from 'graphql';

/** Names of the types that match a type condition: the type itself, its implementations, a union's members. */
export function typenamesWithin(schema: GraphQLSchema, condition: string): ReadonlySet<string> {
  const type = schema.getType(condition);
  const within = new Set([condition]);
  if (isAbstractType(type)) for (const { name } of schema.getPossibleTypes(type)) within.add(name);
  // A subgraph with an @interfaceObject returns names of interfaces, which may implement this one.
  if (isInterfaceType(type))
    for (const { name } of schema.getImplementations(type).interfaces) within.add(name);
  return within;
}
