import type { FetchNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import {
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  valueFromASTUntyped,
  type FieldNode,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { fragmentsOf, type Fragments } from '#server/graphql/fragments.ts';
import { fieldSetOf, keysOf, subgraphOf } from '../supergraph/joined-type.ts';

/** The most combinations of conditions for which a fetch keeps what it requires: clients choose the variables. */
const MAX_COMBINATIONS = 16;

/** The variables of an execution. */
type Variables = Readonly<Record<string, unknown>>;

/** The condition of a selection by `@include` or `@skip`. */
type Condition = (variables: Variables) => boolean;

/** A field of the fetch that requires fields of other subgraphs (`@requires`). */
interface Requiring {
  readonly required: SelectionSetNode;
  /** All of them have to be true, or the field is not selected. */
  readonly conditions: readonly Condition[];
}

/** What the entities of a fetch need, by the variables of the execution. */
export type RequirementsBy = (variables: Variables) => readonly QueryPlanSelectionNode[];

/**
 * If a field that requires others is selected on a condition, the planner also fetches the others on this condition, but
 * requires them of all entities of the fetch. Without the others, the entities would not be fetched, and the unconditional
 * fields of the same fetch would be null without an error.
 * @returns what is required if only the selected fields count; undefined if no such field has a condition
 */
export function conditionalRequirements(node: FetchNode, schema: GraphQLSchema): RequirementsBy | undefined {
  const { requires = [], operation, serviceName } = node;
  if (!operation.includes('@include') && !operation.includes('@skip')) return undefined;
  const all = new RequiringFields(operation, schema, serviceName).list;
  if (all.every(({ conditions }) => conditions.length === 0)) return undefined;
  const keys = keysIn(requires, schema, serviceName);
  const byActive = new LRUCache<string, readonly QueryPlanSelectionNode[]>({ max: MAX_COMBINATIONS });
  return (variables) => {
    const active = all.map(({ conditions }) => conditions.every((holds) => holds(variables)));
    const key = active.map(Number).join('');
    const known = byActive.get(key);
    if (known) return known;
    const needed = [...keys, ...all.flatMap(({ required }, index) => (active[index] ? [required] : []))];
    const notNeeded = all.flatMap(({ required }, index) => (active[index] ? [] : [required]));
    const pruned = without(requires, notNeeded, needed);
    byActive.set(key, pruned);
    return pruned;
  };
}

/** The fields with `@requires` among the fields of a fetch's entities. */
class RequiringFields {
  readonly list: Requiring[] = [];
  private readonly schema: GraphQLSchema;
  private readonly subgraph: string;
  private readonly fragments: Fragments;

  constructor(operation: string, schema: GraphQLSchema, subgraph: string) {
    this.schema = schema;
    this.subgraph = subgraph;
    const document = parse(operation, { noLocation: true });
    this.fragments = fragmentsOf(document);
    for (const definition of document.definitions)
      if (definition.kind === Kind.OPERATION_DEFINITION)
        for (const root of definition.selectionSet.selections)
          if (root.kind === Kind.FIELD && root.selectionSet) this.collect(root.selectionSet, undefined, []);
  }

  private collect(
    { selections }: SelectionSetNode,
    typename: string | undefined,
    outer: readonly Condition[],
  ): void {
    for (const node of selections) {
      const conditions = [...outer, ...conditionsOf(node)];
      if (node.kind === Kind.FIELD) {
        for (const required of this.requiredBy(node, typename)) this.list.push({ required, conditions });
      } else {
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(node.name.value) : node;
        if (fragment)
          this.collect(fragment.selectionSet, fragment.typeCondition?.name.value ?? typename, conditions);
      }
    }
  }

  private requiredBy({ name }: FieldNode, typename: string | undefined): SelectionSetNode[] {
    const type = typename === undefined ? undefined : this.schema.getType(typename);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const directives = type.getFields()[name.value]?.astNode?.directives ?? [];
    return directives.flatMap((directive) => {
      if (directive.name.value !== 'join__field') return [];
      const values = new Map(
        directive.arguments?.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)]),
      );
      const [graph, requires] = [values.get('graph'), values.get('requires')];
      return typeof requires === 'string' && subgraphOf(this.schema, String(graph)) === this.subgraph
        ? [fieldSetOf(requires)]
        : [];
    });
  }
}

function conditionsOf({ directives = [] }: SelectionNode): Condition[] {
  return directives.flatMap(({ name, arguments: given = [] }) => {
    const value = given.find((argument) => argument.name.value === 'if')?.value;
    if (!value || (name.value !== 'include' && name.value !== 'skip')) return [];
    const expected = name.value === 'include';
    return [(variables) => (valueFromASTUntyped(value, variables) === true) === expected];
  });
}

/** The keys of the required types; a required field of a key is always needed. */
function keysIn(
  requires: readonly QueryPlanSelectionNode[],
  schema: GraphQLSchema,
  subgraph: string,
): SelectionSetNode[] {
  return requires.flatMap((node) =>
    node.kind === 'InlineFragment' && node.typeCondition !== undefined
      ? keysOf(schema, node.typeCondition, subgraph).map(({ key = '' }) => fieldSetOf(key))
      : [],
  );
}

/** The selections without those that occur in `removed`, but not in `kept`. */
function without(
  nodes: readonly QueryPlanSelectionNode[],
  removed: readonly SelectionSetNode[],
  kept: readonly SelectionSetNode[],
): QueryPlanSelectionNode[] {
  return nodes.flatMap((node): QueryPlanSelectionNode[] => {
    if (node.kind === 'InlineFragment')
      return [{ ...node, selections: without(node.selections, removed, kept) }];
    const inRemoved = fieldsNamed(node.name, removed);
    if (inRemoved.length === 0) return [node];
    const inKept = fieldsNamed(node.name, kept);
    if (!node.selections) return inKept.length > 0 ? [node] : [];
    const selections = without(node.selections, insideOf(inRemoved), insideOf(inKept));
    return selections.length > 0 && inKept.length > 0 ? [{ ...node, selections }] : [];
  });
}

function fieldsNamed(name: string, sets: readonly SelectionSetNode[]): FieldNode[] {
  return sets.flatMap(({ selections }) =>
    selections.flatMap((node): FieldNode[] => {
      if (node.kind === Kind.FIELD) return node.name.value === name ? [node] : [];
      return node.kind === Kind.INLINE_FRAGMENT ? fieldsNamed(name, [node.selectionSet]) : [];
    }),
  );
}

const insideOf = (fields: readonly FieldNode[]): SelectionSetNode[] =>
  fields.flatMap(({ selectionSet }) => selectionSet ?? []);
