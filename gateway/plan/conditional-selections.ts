import {
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentBody, fragmentsOf, type Fragments } from '#server/graphql/fragments.ts';

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/**
 * The document as the planner gets it; the response has the fields of the client's document.
 * - What is never selected is removed (`@skip(if: true)`, `@include(if: false)`): with `@defer`, the planner fetches it.
 * - Wherever everything that is selected of an object has a condition, `__typename` is added. The planner takes such
 *   conditions for conditions of the object itself: the object would be null instead of empty, and for an object that may not
 *   be null the response would be an error.
 */
export function plannable(document: DocumentNode): DocumentNode {
  const selected = withoutNeverSelected(document);
  const conditional = new ConditionalSelections(fragmentsOf(selected));
  return visit(selected, {
    Field: {
      leave: (node) => {
        const { selectionSet } = node;
        return selectionSet && conditional.has(selectionSet)
          ? { ...node, selectionSet: withTypename(selectionSet) }
          : undefined;
      },
    },
  });
}

const withTypename = (set: SelectionSetNode): SelectionSetNode => ({
  ...set,
  selections: [...set.selections, TYPENAME],
});

const withoutNeverSelected = (document: DocumentNode): DocumentNode =>
  visit(document, {
    SelectionSet: {
      leave(set) {
        const selections = set.selections.filter((node) => !isNeverSelected(node));
        if (selections.length === set.selections.length) return undefined;
        return selections.length > 0 ? { ...set, selections } : withTypename({ ...set, selections });
      },
    },
  });

const isNeverSelected = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name, arguments: given = [] }) => {
    const value = given.find((argument) => argument.name.value === 'if')?.value;
    if (value?.kind !== Kind.BOOLEAN) return false;
    return (name.value === 'skip' && value.value) || (name.value === 'include' && !value.value);
  });

/** Whether each selected field has a condition of its own, or is in a fragment with one. */
class ConditionalSelections {
  private readonly fragments: Fragments;
  private readonly known = new Map<SelectionSetNode, boolean>();

  constructor(fragments: Fragments) {
    this.fragments = fragments;
  }

  has(set: SelectionSetNode): boolean {
    const known = this.known.get(set);
    if (known !== undefined) return known;
    this.known.set(set, false); // ends the recursion of a fragment that spreads itself, which validation refuses
    const found = set.selections.every((node) => hasCondition(node) || this.hasFieldsWith(node));
    this.known.set(set, found);
    return found;
  }

  private hasFieldsWith(node: SelectionNode): boolean {
    const body = node.kind === Kind.FIELD ? undefined : fragmentBody(this.fragments, node);
    return body !== undefined && this.has(body.selectionSet);
  }
}

const hasCondition = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => name.value === 'include' || name.value === 'skip');
