import {
  BREAK,
  Kind,
  visit,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { fragmentsOf } from '#server/graphql/fragments.ts';

/**
 * Removes the refused fields and all other operations from the document, and the fragments and variables that are then
 * unused. Undefined if no field of the operation remains.
 * @param refused nodes of this document: equal nodes of a copy would not be found
 * @throws Error if a refused field could not be removed
 */
export function withoutFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  refused: ReadonlySet<FieldNode>,
): DocumentNode | undefined {
  let isEmpty = false;
  const remaining: DocumentNode = visit(document, {
    OperationDefinition: { enter: (node) => (node === operation ? undefined : null) },
    Field: {
      enter: (node) => (refused.has(node) ? null : undefined),
    },
    SelectionSet: {
      leave(node, _key, parent) {
        if (node.selections.length > 0) return undefined;
        if (isNode(parent) && parent.kind === Kind.OPERATION_DEFINITION) isEmpty = true;
        return { ...node, selections: [TYPENAME] };
      },
    },
  });
  if (remaining === document || contains(remaining, refused))
    throw new Error('a refused field could not be removed');
  return isEmpty ? undefined : withoutUnused(remaining);
}

function contains(document: DocumentNode, refused: ReadonlySet<FieldNode>): boolean {
  let found = false;
  visit(document, {
    Field(node) {
      found ||= refused.has(node);
      return found ? BREAK : undefined;
    },
  });
  return found;
}

/**
 * Added to a selection set that would be empty, which GraphQL does not allow. The response does not contain this field,
 * because it has the shape of the client's own document.
 */
const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

const isNode = (parent: unknown): parent is ASTNode =>
  typeof parent === 'object' && parent !== null && 'kind' in parent;

function withoutUnused(document: DocumentNode): DocumentNode {
  const fragments = fragmentsOf(document);
  const usedFragments = new Set<string>();
  const usedVariables = new Set<string>();
  const scan = (node: ASTNode | undefined): void => {
    if (!node) return;
    visit(node, {
      VariableDefinition: () => false,
      Variable: (variable) => void usedVariables.add(variable.name.value),
      FragmentSpread({ name, directives }) {
        directives?.forEach(scan);
        if (usedFragments.has(name.value)) return;
        usedFragments.add(name.value);
        scan(fragments.get(name.value));
      },
    });
  };
  document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).forEach(scan);
  return {
    ...document,
    definitions: document.definitions
      .filter(
        (definition) =>
          definition.kind !== Kind.FRAGMENT_DEFINITION || usedFragments.has(definition.name.value),
      )
      .map((definition) => {
        if (definition.kind !== Kind.OPERATION_DEFINITION) return definition;
        const variableDefinitions = definition.variableDefinitions?.filter(({ variable }) =>
          usedVariables.has(variable.name.value),
        );
        return { ...definition, ...(variableDefinitions && { variableDefinitions }) };
      }),
  };
}
