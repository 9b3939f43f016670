import {
  buildOperationContext,
  executeQueryPlan,
  type GraphQLDataSource,
  type ServiceMap,
} from '@apollo/gateway';
import type { ExecutionResult } from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../graph/context.ts';
import type { Subgraph } from '../subgraphs/subgraph.ts';
import { shownError } from './shown-error.ts';
import { textOf, type SubscriptionPlan } from './plans.ts';

/** Runs the rest of a subscription's plan over one event: an ordinary execution in which the event answers the primary. */
export type EventExecution = (
  event: ExecutionResult,
  variables: Record<string, unknown>,
  context: GatewayContext,
) => Promise<ExecutionResult>;

export function eventExecution(plan: SubscriptionPlan, log: Logger): EventExecution {
  const { graph, document, operation, primary, permission } = plan;
  const services: ServiceMap = Object.fromEntries(
    [...graph.subgraphs].map(([name, subgraph]) => [name, dataSourceOf(subgraph)]),
  );
  const operationContext = buildOperationContext({
    schema: graph.apiSchema,
    operationDocument: document,
    operationName: operation.name?.value,
  });
  return async (event, variables, context) => {
    const owner = services[primary.serviceName];
    const fromEvent: GraphQLDataSource = {
      // A clone, because the executor merges the other subgraphs' answers into it.
      process: async (request) =>
        request.request.query === primary.operation || !owner
          ? structuredClone(toAnswer(event))
          : owner.process(request),
    };
    const requestContext = {
      request: { query: textOf(document), operationName: operation.name?.value, variables },
      logger: console,
      schema: graph.apiSchema,
      context,
      queryHash: '',
      document,
      source: '',
      operationName: operation.name?.value ?? null,
      operation,
      metrics: {},
      overallCachePolicy: undefined,
    };
    const result = (await executeQueryPlan(
      plan.perEvent,
      { ...services, [primary.serviceName]: fromEvent },
      requestContext as never,
      operationContext,
      graph.supergraphSchema,
      graph.federatedApiSchema,
    )) as ExecutionResult;
    const errors = [...permission.errors, ...(result.errors ?? []).map((error) => shownError(error, log))];
    return { data: result.data ?? null, ...(errors.length > 0 && { errors }) };
  };
}

/** An event as the executor takes a subgraph's answer. */
const toAnswer = (event: ExecutionResult): Awaited<ReturnType<GraphQLDataSource['process']>> => ({
  data: event.data ?? null,
  ...(event.errors && { errors: event.errors }),
});

const dataSourceOf = (subgraph: Subgraph): GraphQLDataSource => ({
  process: async ({ request: { query, variables, operationName }, context }) =>
    (await subgraph.send({
      body: JSON.stringify({ query, variables, operationName }),
      kind: 'query',
      context: context as GatewayContext,
    })) as Awaited<ReturnType<GraphQLDataSource['process']>>,
});
