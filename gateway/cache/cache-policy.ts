import {
  getNamedType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { fragmentsOf, typeOfFragment, type Fragments } from '#server/graphql/fragments.ts';

/**
 * The number of seconds for which a response may be cached for callers of the same role and gym; 0 if it may not be
 * cached. It is the least `maxAge` of all fields (Apollo's `@cacheControl`). Without a `maxAge`, a root field or a field
 * of objects counts as 0, and a leaf has the value of its parent. `PRIVATE` counts as 0.
 */
export function maxAgeOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  directives: AppliedDirectives,
): number {
  const root = schema.getRootType(operation.operation);
  if (operation.operation !== OperationTypeNode.QUERY || !root) return 0;
  const age = new LeastAge(document, schema, directives).of(operation.selectionSet, root, 0);
  return Number.isFinite(age) ? age : 0;
}

class LeastAge {
  private readonly fragments: Fragments;
  private readonly schema: GraphQLSchema;
  private readonly directives: AppliedDirectives;
  /** By the fragment's name and its parent's age; the schema has few different ages. */
  private readonly ofFragments = new Map<string, number>();

  constructor(document: DocumentNode, schema: GraphQLSchema, directives: AppliedDirectives) {
    this.fragments = fragmentsOf(document);
    this.schema = schema;
    this.directives = directives;
  }

  of(set: SelectionSetNode, parent: GraphQLCompositeType, above: number): number {
    let age = Infinity;
    for (const selection of set.selections) {
      if (age === 0) return 0;
      age = Math.min(
        age,
        selection.kind === Kind.FIELD
          ? this.ofField(selection, parent, above)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.of(selection.selectionSet, typeOfFragment(this.schema, selection, parent), above)
            : this.ofFragment(selection.name.value, parent, above),
      );
    }
    return age;
  }

  private ofField(node: FieldNode, parent: GraphQLCompositeType, above: number): number {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    if (!field) return node.name.value === '__typename' ? Infinity : 0; // introspection is not cached
    const type = getNamedType(field.type);
    const own = this.ageAt(`${parent.name}.${field.name}`, above) ?? this.ageAt(type.name, above);
    const isRoot = parent === this.schema.getQueryType();
    const here = own ?? (isRoot || isCompositeType(type) ? 0 : above);
    if (here === 0 || !node.selectionSet || !isCompositeType(type)) return here;
    return Math.min(here, this.of(node.selectionSet, type, here));
  }

  private ofFragment(name: string, parent: GraphQLCompositeType, above: number): number {
    const key = `${name} ${above}`;
    const known = this.ofFragments.get(key);
    if (known !== undefined) return known;
    const body = this.fragments.get(name);
    const age = body
      ? this.of(body.selectionSet, typeOfFragment(this.schema, body, parent), above)
      : Infinity;
    this.ofFragments.set(key, age);
    return age;
  }

  private ageAt(coordinate: string, above: number): number | undefined {
    const [directive] = this.directives.at(coordinate, 'cacheControl');
    if (!directive) return undefined;
    const { maxAge, scope, inheritMaxAge } = directive.args;
    if (scope === 'PRIVATE') return 0;
    if (typeof maxAge === 'number') return maxAge;
    return inheritMaxAge === true ? above : undefined;
  }
}
