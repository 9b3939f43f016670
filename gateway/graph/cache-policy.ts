import {
  getNamedType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { AppliedDirectives } from '../supergraph/applied-directives.ts';

/**
 * For how many seconds an answer may be given again to callers of the same role and gym; 0: never. By `@cacheControl` as
 * Apollo defines it: the least `maxAge` of all fields, where a field without one that is at the root or gives objects
 * counts 0, and a leaf as its parent; one that is `PRIVATE` makes it 0.
 */
export function maxAgeOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  directives: AppliedDirectives,
): number {
  const root = schema.getRootType(operation.operation);
  if (operation.operation !== OperationTypeNode.QUERY || !root) return 0;
  const fragments = new Map(
    document.definitions.flatMap((definition): [string, FragmentDefinitionNode][] =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );
  const least = (set: SelectionSetNode, parent: GraphQLCompositeType, above: number): number => {
    let age = Infinity;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const field = 'getFields' in parent ? parent.getFields()[selection.name.value] : undefined;
        if (!field) {
          age = Math.min(age, selection.name.value === '__typename' ? Infinity : 0); // introspection is not cached
          continue;
        }
        const type = getNamedType(field.type);
        const own =
          ageAt(directives, `${parent.name}.${field.name}`, above) ?? ageAt(directives, type.name, above);
        const here = own ?? (parent === root || isCompositeType(type) ? 0 : above);
        age = Math.min(age, here);
        if (age > 0 && selection.selectionSet && isCompositeType(type))
          age = Math.min(age, least(selection.selectionSet, type, here));
      } else {
        const body =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        const condition = body?.typeCondition && schema.getType(body.typeCondition.name.value);
        if (body)
          age = Math.min(
            age,
            least(body.selectionSet, isCompositeType(condition) ? condition : parent, above),
          );
      }
    }
    return age;
  };
  const age = least(operation.selectionSet, root, 0);
  return Number.isFinite(age) ? age : 0;
}

function ageAt(directives: AppliedDirectives, coordinate: string, above: number): number | undefined {
  const [directive] = directives.at(coordinate, 'cacheControl');
  if (!directive) return undefined;
  const { maxAge, scope, inheritMaxAge } = directive.args;
  if (scope === 'PRIVATE') return 0;
  if (typeof maxAge === 'number') return maxAge;
  return inheritMaxAge === true ? above : undefined;
}
