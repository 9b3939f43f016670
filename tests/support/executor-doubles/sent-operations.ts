import { readFileSync } from 'node:fs';
import { operationFromDocument } from '@apollo/federation-internals';
import type { FetchNode, PlanNode, SubscriptionNode } from '@apollo/query-planner';
import { Kind, parse, validate, type DocumentNode } from 'graphql';
import { loadGraph } from '../../../gateway/supergraph/load-graph.ts';
import type { LoadedGraph } from '../../../gateway/supergraph/loaded-graph.ts';

/** An operation as the gateway sends it to a service. */
export interface SentOperation {
  readonly service: string;
  readonly query: string;
  readonly operationName: string | undefined;
}

/** The committed supergraph. Its services are not called. */
export const committedGraph = (): LoadedGraph =>
  loadGraph(readFileSync(new URL('../../../schema/supergraph.graphql', import.meta.url), 'utf8'), (name) => ({
    name,
    url: '',
    send: () => Promise.reject(new Error(`${name} is not asked`)),
    close: async () => undefined,
  }));

/** What the gateway sends to the services for these operations of clients, each once; invalid ones are left out. */
export function sentOperations(graph: LoadedGraph, texts: readonly string[]): SentOperation[] {
  const sent = new Map<string, SentOperation>();
  for (const text of texts) {
    const document = parse(text);
    if (validate(graph.apiSchema, document).length > 0) continue;
    for (const { serviceName, operation, operationName } of fetchesFor(graph, document))
      sent.set(`${serviceName} ${operation}`, { service: serviceName, query: operation, operationName });
  }
  return [...sent.values()];
}

/** The types of the entities whose fields an entity fetch selects. */
export const entityTypesIn = (query: string): string[] => [
  ...new Set([...query.matchAll(/\.\.\. ?on (\w+)/g)].map(([, name = '']) => name)),
];

function fetchesFor(graph: LoadedGraph, document: DocumentNode): FetchNode[] {
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const name = definition.name?.value;
    const operation = operationFromDocument(
      graph.federatedApiSchema,
      document,
      name ? { operationName: name } : {},
    );
    return fetchesOf(graph.planner.buildQueryPlan(operation).node);
  });
}

function fetchesOf(node: PlanNode | SubscriptionNode | undefined): FetchNode[] {
  switch (node?.kind) {
    case 'Fetch':
      return [node];
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap(fetchesOf);
    case 'Flatten':
      return fetchesOf(node.node);
    case 'Condition':
      return [...fetchesOf(node.ifClause), ...fetchesOf(node.elseClause)];
    case 'Subscription':
      return [node.primary, ...fetchesOf(node.rest)];
    default:
      return [];
  }
}
