import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  getNamedType,
  isCompositeType,
} from 'graphql';
import { fragmentsOf, typeOfFragment, type Fragments } from '#server/graphql/fragments.ts';
import {
  MAX_SECONDS_WITHOUT_NOTICES,
  NO_CACHING,
  type CacheDirectives,
  type CacheRule,
} from './cache-directives.ts';

/**
 * The number of seconds for which a gateway that is not notified of changes may cache a response for callers of the same role and
 * gym; 0 if it may not. It is the lowest `maxAge` of all fields (Apollo's `@cacheControl`). Without a `maxAge`, a root field
 * or a field of an object type counts as 0, and a leaf has the value of its parent. `PRIVATE` counts as 0.
 */
export function maxAgeOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  directives: CacheDirectives,
): number {
  const root = schema.getRootType(operation.operation);
  if (operation.operation !== OperationTypeNode.QUERY || !root) return 0;
  const maxAge = new LowestMaxAge(document, schema, directives).of(operation.selectionSet, root, NO_CACHING);
  // Infinite if the operation selects nothing but `__typename`.
  return Number.isFinite(maxAge) ? maxAge : 0;
}

/** Computes the lowest `maxAge` of a selection set. `inherited` is the rule of the field that has the selection set. */
class LowestMaxAge {
  private readonly fragments: Fragments;
  private readonly schema: GraphQLSchema;
  private readonly directives: CacheDirectives;
  /** By the name of the fragment and the inherited rule, of which a schema has few different ones. */
  private readonly ofFragments = new Map<string, number>();

  constructor(document: DocumentNode, schema: GraphQLSchema, directives: CacheDirectives) {
    this.fragments = fragmentsOf(document);
    this.schema = schema;
    this.directives = directives;
  }

  of(set: SelectionSetNode, parent: GraphQLCompositeType, inherited: CacheRule): number {
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

  private ofField(node: FieldNode, parent: GraphQLCompositeType, inherited: CacheRule): number {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    if (!field) return node.name.value === '__typename' ? Infinity : 0; // introspection is not cached
    const rule = this.directives.ofField(parent, field, inherited, parent === this.schema.getQueryType());
    const here = maxAgeWithoutNotices(rule);
    const type = getNamedType(field.type);
    if (here === 0 || !node.selectionSet || !isCompositeType(type)) return here;
    return Math.min(here, this.of(node.selectionSet, type, rule));
  }

  private ofFragment(name: string, parent: GraphQLCompositeType, inherited: CacheRule): number {
    const key = `${name} ${inherited.maxAge} ${inherited.isPrivate} ${inherited.kinds.join()}`;
    const known = this.ofFragments.get(key);
    if (known !== undefined) return known;
    const body = this.fragments.get(name);
    const lowest = body
      ? this.of(body.selectionSet, typeOfFragment(this.schema, body, parent), inherited)
      : Infinity;
    this.ofFragments.set(key, lowest);
    return lowest;
  }
}

const maxAgeWithoutNotices = ({ maxAge, isPrivate, kinds }: CacheRule): number =>
  isPrivate || (kinds.length > 0 && maxAge > MAX_SECONDS_WITHOUT_NOTICES) ? 0 : maxAge;
