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
 * cached. It is the lowest `maxAge` of all fields (Apollo's `@cacheControl`). Without a `maxAge`, a root field or a field
 * of an object type counts as 0, and a leaf has the value of its parent. `PRIVATE` counts as 0.
 */
export function maxAgeOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  directives: AppliedDirectives,
): number {
  const root = schema.getRootType(operation.operation);
  if (operation.operation !== OperationTypeNode.QUERY || !root) return 0;
  const maxAge = new LowestMaxAge(document, schema, directives).of(operation.selectionSet, root, 0);
  // Infinite if the operation selects nothing but `__typename`.
  return Number.isFinite(maxAge) ? maxAge : 0;
}

/** Computes the lowest `maxAge` of a selection set. `inherited` is the `maxAge` of the field that has the selection set. */
class LowestMaxAge {
  private readonly fragments: Fragments;
  private readonly schema: GraphQLSchema;
  private readonly directives: AppliedDirectives;
  /** By the name of the fragment and the inherited `maxAge`, of which a schema has few different ones. */
  private readonly ofFragments = new Map<string, number>();

  constructor(document: DocumentNode, schema: GraphQLSchema, directives: AppliedDirectives) {
    this.fragments = fragmentsOf(document);
    this.schema = schema;
    this.directives = directives;
  }

  of(set: SelectionSetNode, parent: GraphQLCompositeType, inherited: number): number {
    let lowest = Infinity;
    for (const selection of set.selections) {
      if (lowest === 0) return 0;
      lowest = Math.min(
        lowest,
        selection.kind === Kind.FIELD
          ? this.ofField(selection, parent, inherited)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.of(selection.selectionSet, typeOfFragment(this.schema, selection, parent), inherited)
            : this.ofFragment(selection.name.value, parent, inherited),
      );
    }
    return lowest;
  }

  private ofField(node: FieldNode, parent: GraphQLCompositeType, inherited: number): number {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    if (!field) return node.name.value === '__typename' ? Infinity : 0; // introspection is not cached
    const type = getNamedType(field.type);
    const own =
      this.maxAgeAt(`${parent.name}.${field.name}`, inherited) ?? this.maxAgeAt(type.name, inherited);
    const isRoot = parent === this.schema.getQueryType();
    const here = own ?? (isRoot || isCompositeType(type) ? 0 : inherited);
    if (here === 0 || !node.selectionSet || !isCompositeType(type)) return here;
    return Math.min(here, this.of(node.selectionSet, type, here));
  }

  private ofFragment(name: string, parent: GraphQLCompositeType, inherited: number): number {
    const key = `${name} ${inherited}`;
    const known = this.ofFragments.get(key);
    if (known !== undefined) return known;
    const body = this.fragments.get(name);
    const lowest = body
      ? this.of(body.selectionSet, typeOfFragment(this.schema, body, parent), inherited)
      : Infinity;
    this.ofFragments.set(key, lowest);
    return lowest;
  }

  private maxAgeAt(coordinate: string, inherited: number): number | undefined {
    const [directive] = this.directives.at(coordinate, 'cacheControl');
    if (!directive) return undefined;
    const { maxAge, scope, inheritMaxAge } = directive.args;
    if (scope === 'PRIVATE') return 0;
    if (typeof maxAge === 'number') return maxAge;
    return inheritMaxAge === true ? inherited : undefined;
  }
}
