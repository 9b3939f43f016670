import { isAbstractType, isInterfaceType, type GraphQLSchema } from 'graphql';

/** Names of the types that a type condition lets pass: the type itself, what implements it, a union's members. */
export function typenamesWithin(schema: GraphQLSchema, condition: string): ReadonlySet<string> {
  const type = schema.getType(condition);
  const within = new Set([condition]);
  if (isAbstractType(type)) for (const { name } of schema.getPossibleTypes(type)) within.add(name);
  // A subgraph with an @interfaceObject knows only interfaces by name, which may implement this one.
  if (isInterfaceType(type))
    for (const { name } of schema.getImplementations(type).interfaces) within.add(name);
  return within;
}
