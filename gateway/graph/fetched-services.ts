import type { PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner';

/** The services that a plan fetches from, each once. */
export function fetchedServices({ node }: QueryPlan): string[] {
  const services = new Set<string>();
  collect(node, services);
  return [...services];
}

function collect(node: PlanNode | SubscriptionNode | undefined, services: Set<string>): void {
  switch (node?.kind) {
    case 'Fetch':
      services.add(node.serviceName);
      break;
    case 'Flatten':
      collect(node.node, services);
      break;
    case 'Sequence':
    case 'Parallel':
      node.nodes.forEach((inner) => collect(inner, services));
      break;
    case 'Condition':
      collect(node.ifClause, services);
      collect(node.elseClause, services);
      break;
    case 'Defer':
      collect(node.primary.node, services);
      node.deferred.forEach((deferred) => collect(deferred.node, services));
      break;
    case 'Subscription':
      collect(node.primary, services);
      collect(node.rest, services);
      break;
    case undefined:
      break;
  }
}
