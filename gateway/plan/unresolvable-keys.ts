import type { FetchNode, QueryPlan, QueryPlanFieldNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import { Kind, type GraphQLError, type SelectionSetNode } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { fieldSetOf, keysOf, type JoinedType } from '../supergraph/joined-type.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import { fetchesOf } from './plan-fetches.ts';

/**
 * A plan is refused if a subgraph would get representations without any key that it resolves. The planner makes such a
 * plan if a field requires fields of another subgraph, and its own subgraph has no resolvable key that is not external; see
 * `withResolvableKeysFirst`.
 * @returns the refusal; undefined for all other plans
 */
export function refusalOfUnresolvableKeys(
  { sdl, supergraphSchema }: LoadedGraph,
  plan: QueryPlan,
): GraphQLError | undefined {
  if (!sdl.includes('resolvable: false')) return undefined;
  for (const fetch of fetchesOf(plan)) {
    const { requires = [], serviceName } = fetch;
    for (const type of new Set(requires.map(typeOf))) {
      const keys = keysOf(supergraphSchema, type, serviceName);
      // All fragments are searched for the key, because several may apply to one object: those on its type and on interfaces.
      if (keys.length > 0 && !keys.some((key) => isResolvable(key, requires))) return refusalOf(fetch, type);
    }
  }
  return undefined;
}

const typeOf = (node: QueryPlanSelectionNode): string =>
  node.kind === 'InlineFragment' ? (node.typeCondition ?? '') : '';

const refusalOf = ({ serviceName }: FetchNode, type: string): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'VALIDATION_FAILED',
      `No plan can be made for this operation: the subgraph "${serviceName}" resolves ${type} by none of the keys that are known. Select its fields in another way, or ask the operator to add a resolvable key.`,
    ),
  );

function isResolvable(
  { key = '', resolvable = true }: JoinedType,
  given: readonly QueryPlanSelectionNode[],
): boolean {
  if (!resolvable) return false;
  return contains(given, fieldSetOf(key));
}

function contains(given: readonly QueryPlanSelectionNode[], { selections }: SelectionSetNode): boolean {
  return selections.every((wanted) => {
    if (wanted.kind !== Kind.FIELD) return true; // a fragment on a type in a key: cannot be compared
    const found = fieldsIn(given).filter(({ name }) => name === wanted.name.value);
    if (!wanted.selectionSet) return found.length > 0;
    const inside = found.flatMap(({ selections: own = [] }) => own);
    return contains(inside, wanted.selectionSet);
  });
}

/** Includes fields inside fragments, because the planner repeats the operation's fragments in a representation. */
const fieldsIn = (given: readonly QueryPlanSelectionNode[]): QueryPlanFieldNode[] =>
  given.flatMap((node) => (node.kind === 'Field' ? [node] : fieldsIn(node.selections)));
