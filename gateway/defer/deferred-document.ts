import {
  Kind,
  type DirectiveNode,
  type DocumentNode,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { fragmentsOf, type Fragments } from '#server/graphql/fragments.ts';
import { deferOf, hasDefer, isActive, isDefer, labelOf, withoutDefer } from './defer-directive.ts';

/** Each part costs a request of its own, a copy of the data, and time of the planner. */
const MAX_ACTIVE = 8;
const MAX_NESTED = 3;

/**
 * An operation with only those `@defer` that take effect with its variables. Each deferred fragment is an inline fragment whose
 * label is its number, because a fragment that is spread at several places is deferred at each of them separately.
 */
export interface DeferredDocument {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The client's label of each deferred fragment, by its number. */
  readonly labels: readonly (string | undefined)[];
}

/**
 * @throws OPERATION_LIMIT_EXCEEDED if too many fragments are deferred
 * @throws GraphQLError if a condition is null
 */
export function deferredDocument(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): DeferredDocument {
  const active = withoutDefer(document, (directive) => !isActive(directive, variables));
  const found = active.definitions.find(
    (one): one is OperationDefinitionNode =>
      one.kind === Kind.OPERATION_DEFINITION && one.name?.value === operation.name?.value,
  );
  if (!found) throw new Error('the document has no such operation');
  const expansion = new Expansion(active);
  const expanded = { ...found, selectionSet: expansion.set(found.selectionSet, 0) };
  const others = active.definitions.filter(
    (one) => one.kind === Kind.FRAGMENT_DEFINITION && !expansion.leadsToDefer(one.name.value),
  );
  return {
    document: { kind: Kind.DOCUMENT, definitions: [expanded, ...others] },
    operation: expanded,
    labels: expansion.labels,
  };
}

/** The number of a deferred fragment of a `DeferredDocument`. */
export const numberOf = (fragment: InlineFragmentNode): number =>
  Number(labelOf(deferOf(fragment) as DirectiveNode));

/**
 * Replaces every spread that leads to `@defer` by an inline fragment. More than `MAX_ACTIVE` deferred fragments are refused, so
 * the document cannot grow exponentially.
 */
class Expansion {
  readonly labels: (string | undefined)[] = [];
  private readonly fragments: Fragments;
  private readonly leading = new Map<string, boolean>();

  constructor(document: DocumentNode) {
    this.fragments = fragmentsOf(document);
  }

  set({ selections, ...rest }: SelectionSetNode, nested: number): SelectionSetNode {
    return { ...rest, selections: selections.map((node) => this.selection(node, nested)) };
  }

  leadsToDefer(name: string): boolean {
    const known = this.leading.get(name);
    if (known !== undefined) return known;
    this.leading.set(name, false); // ends the recursion of a fragment that spreads itself, which validation refuses
    const body = this.fragments.get(name);
    const leads = body !== undefined && (hasDefer(body) || this.spreadsDefer(body.selectionSet));
    this.leading.set(name, leads);
    return leads;
  }

  private spreadsDefer({ selections }: SelectionSetNode): boolean {
    return selections.some((node) =>
      node.kind === Kind.FRAGMENT_SPREAD
        ? this.leadsToDefer(node.name.value)
        : node.selectionSet !== undefined && this.spreadsDefer(node.selectionSet),
    );
  }

  private selection(node: SelectionNode, nested: number): SelectionNode {
    if (node.kind === Kind.FIELD)
      return node.selectionSet ? { ...node, selectionSet: this.set(node.selectionSet, nested) } : node;
    const defer = deferOf(node);
    if (node.kind === Kind.INLINE_FRAGMENT) return this.fragment(node, defer, nested);
    if (!defer && !this.leadsToDefer(node.name.value)) return node;
    const body = this.fragments.get(node.name.value);
    if (!body) return node;
    const { typeCondition, selectionSet } = body;
    const { directives = [] } = node;
    return this.fragment(
      { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet },
      defer,
      nested,
    );
  }

  private fragment(
    node: InlineFragmentNode,
    defer: DirectiveNode | undefined,
    nested: number,
  ): InlineFragmentNode {
    if (!defer) return { ...node, selectionSet: this.set(node.selectionSet, nested) };
    const number = this.labels.push(labelOf(defer)) - 1;
    if (this.labels.length > MAX_ACTIVE) throw tooMany(`${MAX_ACTIVE} deferred fragments`);
    if (nested >= MAX_NESTED) throw tooMany(`${MAX_NESTED} deferred fragments inside of each other`);
    const others = (node.directives ?? []).filter((directive) => !isDefer(directive));
    return {
      ...node,
      directives: [...others, numbered(number)],
      selectionSet: this.set(node.selectionSet, nested + 1),
    };
  }
}

const numbered = (number: number): DirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: 'defer' },
  arguments: [
    {
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: 'label' },
      value: { kind: Kind.STRING, value: String(number) },
    },
  ],
});

const tooMany = (what: string): PlatformError =>
  new PlatformError(
    'OPERATION_LIMIT_EXCEEDED',
    `The operation has more than ${what}, each counted at every place where it is spread; defer fewer of them.`,
  );
