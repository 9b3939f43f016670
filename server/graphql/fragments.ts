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
 * The fragments of a document, indexed once per document. A walk over an operation that meets a spread keeps its result by
 * fragment: if fragments spread other fragments twice each, their expansion doubles at each level, so a walk through every
 * spread would take time exponential in the length of the text.
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

/** Undefined for a spread of a fragment that the document does not define. */
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
