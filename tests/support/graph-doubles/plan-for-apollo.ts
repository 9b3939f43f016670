import type { FetchNode, PlanNode, QueryPlan } from '@apollo/query-planner';
import { isInterfaceType, type GraphQLSchema } from 'graphql';
import type { SubgraphAnswer } from '../../../gateway/subgraphs/subgraph.ts';
import { conditionalRequirements } from '../../../gateway/plan/conditional-requirements.ts';

/**
 * The plan without those faults of the planner that our executor corrects (docs/decisions/0036-planner.md), so that the
 * executor of @apollo/gateway returns the right result, too; together with `withoutInterfaceNames`.
 */
export const planForApollo = (
  { node, ...rest }: QueryPlan,
  schema: GraphQLSchema,
  variables: Readonly<Record<string, unknown>>,
): QueryPlan => ({
  ...rest,
  ...(node && node.kind !== 'Subscription' && { node: corrected(node, schema, variables) }),
});

function corrected(
  node: PlanNode,
  schema: GraphQLSchema,
  variables: Readonly<Record<string, unknown>>,
): PlanNode {
  const inside = (inner: PlanNode): PlanNode => corrected(inner, schema, variables);
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel':
      return { ...node, nodes: node.nodes.map(inside) };
    case 'Flatten':
      return { ...node, node: inside(node.node) };
    case 'Condition':
      return {
        ...node,
        ...(node.ifClause && { ifClause: inside(node.ifClause) }),
        ...(node.elseClause && { elseClause: inside(node.elseClause) }),
      };
    case 'Fetch':
      return correctedFetch(node, schema, variables);
    case 'Defer':
      return node;
  }
}

function correctedFetch(
  node: FetchNode,
  schema: GraphQLSchema,
  variables: Readonly<Record<string, unknown>>,
): FetchNode {
  const requires = conditionalRequirements(node, schema)?.(variables);
  return requires ? { ...node, requires: [...requires] } : node;
}

/** Removes the `__typename` of an entity that a subgraph knows by the name of an interface only. Changes the answer. */
export function withoutInterfaceNames(
  answer: SubgraphAnswer,
  schema: GraphQLSchema,
  sent: { representations?: readonly { __typename?: string }[] } | undefined,
): SubgraphAnswer {
  const entities = (answer.data as { _entities?: unknown } | null | undefined)?._entities;
  if (!Array.isArray(entities)) return answer;
  for (const [index, entity] of (entities as ({ __typename?: string } | null)[]).entries()) {
    const name = sent?.representations?.[index]?.__typename;
    if (name !== undefined && entity?.__typename === name && isInterfaceType(schema.getType(name)))
      delete entity.__typename;
  }
  return answer;
}
