import {
  isCompositeType,
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type InlineFragmentNode,
} from 'graphql';

/** The fragments of a document by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** An inline fragment, or the definition that a spread refers to. */
type FragmentBody = InlineFragmentNode | FragmentDefinitionNode;

const known = new WeakMap<DocumentNode, Fragments>();

/**
 * The fragments of a document, indexed once per document.
 *
 * A function that walks over an operation must store its result for each fragment. If each fragment spreads the next one
 * twice, a walk through every spread takes time exponential in the number of fragments.
 */
export function fragmentsOf(document: DocumentNode): Fragments {
  const indexed = known.get(document);
  if (indexed) return indexed;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  known.set(document, fragments);
  return fragments;
}

/** The body of an inline fragment or a spread; undefined if the document does not define the fragment. */
export const fragmentBody = (
  fragments: Fragments,
  node: InlineFragmentNode | FragmentSpreadNode,
): FragmentBody | undefined => (node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value));

/** The type on which the selections of a fragment are made: its type condition, or the enclosing type if it has none. */
export function typeOfFragment(
  schema: GraphQLSchema,
  body: FragmentBody,
  parent: GraphQLCompositeType,
): GraphQLCompositeType {
  const condition = body.typeCondition && schema.getType(body.typeCondition.name.value);
  return isCompositeType(condition) ? condition : parent;
}
