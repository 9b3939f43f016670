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

/** A fragment as its selections are read: an inline one, or the definition that a spread names. */
export type FragmentBody = InlineFragmentNode | FragmentDefinitionNode;

const known = new WeakMap<DocumentNode, Fragments>();

/**
 * The fragments of a document, indexed once a document. A walk over an operation that meets a spread keeps its result by
 * fragment: fragments that spread others twice each double what they expand to, so a walk that goes through every spread
 * takes time exponential in the length of the text.
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

/** Undefined for a spread that names no fragment of the document. */
export const fragmentBody = (
  fragments: Fragments,
  node: InlineFragmentNode | FragmentSpreadNode,
): FragmentBody | undefined => (node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value));

/** The type that the selections of a fragment are about: its condition, without one the type around it. */
export function typeOfFragment(
  schema: GraphQLSchema,
  body: FragmentBody,
  parent: GraphQLCompositeType,
): GraphQLCompositeType {
  const condition = body.typeCondition && schema.getType(body.typeCondition.name.value);
  return isCompositeType(condition) ? condition : parent;
}
