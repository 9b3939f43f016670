import type { FetchNode, PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner';

/** The fetches of a plan. */
export function fetchesOf({ node }: QueryPlan): FetchNode[] {
  const fetches: FetchNode[] = [];
  collect(node, fetches);
  return fetches;
}

/** The subgraphs of the fetches, each once. */
export const servicesOf = (fetches: readonly FetchNode[]): string[] => [
  ...new Set(fetches.map(({ serviceName }) => serviceName)),
];

// Measured on the heap: the memory of a compiled fetch, and of each character of its operation.
const BYTES_PER_FETCH = 3_500;
const BYTES_PER_CHARACTER = 3;

/** The approximate memory of the compiled plan. The text of an entity fetch counts twice: it may also be in a merged text. */
export const bytesOfPlan = (fetches: readonly FetchNode[]): number =>
  fetches.reduce(
    (total, { operation, requires }) =>
      total + BYTES_PER_FETCH + BYTES_PER_CHARACTER * operation.length * (requires ? 2 : 1),
    0,
  );

function collect(node: PlanNode | SubscriptionNode | undefined, fetches: FetchNode[]): void {
  switch (node?.kind) {
    case 'Fetch':
      fetches.push(node);
      break;
    case 'Flatten':
      collect(node.node, fetches);
      break;
    case 'Sequence':
    case 'Parallel':
      node.nodes.forEach((inner) => collect(inner, fetches));
      break;
    case 'Condition':
      collect(node.ifClause, fetches);
      collect(node.elseClause, fetches);
      break;
    case 'Defer':
      collect(node.primary.node, fetches);
      node.deferred.forEach((deferred) => collect(deferred.node, fetches));
      break;
    case 'Subscription':
      collect(node.primary, fetches);
      collect(node.rest, fetches);
      break;
    case undefined:
      break;
  }
}
