import { buildOperationContext, executeQueryPlan, type ServiceMap } from '@apollo/gateway';
import type { QueryPlan } from '@apollo/query-planner';
import {
  getOperationAST,
  getVariableValues,
  GraphQLError,
  parse,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../../../gateway/context/gateway-context.ts';
import type { Execution, ExecutionRequest, ExecutionSource } from '../../../gateway/execution/execution.ts';
import { planOperation } from '../../../gateway/operations/plan-operation.ts';
import { prepareExecution } from '../../../gateway/plan/prepare-execution.ts';
import type { Subgraph } from '../../../gateway/subgraphs/subgraph.ts';
import type { LoadedGraph } from '../../../gateway/supergraph/loaded-graph.ts';
import { composed, graphOf, type SubgraphSdls } from './composed-graph.ts';
import { planForApollo, withoutInterfaceNames } from './plan-for-apollo.ts';
import { MadeUpSubgraph, type Scenario } from './made-up-subgraph.ts';

/** The response that a client gets. */
export interface Response {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
  readonly extensions?: unknown;
}

export interface Responses {
  /** From the Apollo executor; undefined if it threw an error instead of returning a response. */
  readonly apollo: Response | undefined;
  /** From our executor: by `toJson` and by `toResult`. */
  readonly json: Response;
  readonly result: Response;
}

export interface Prepared {
  readonly query: string;
  readonly by: Execution['by'];
  readonly source: ExecutionSource;
  run(variables: Record<string, unknown>, scenario: Scenario): Promise<Responses>;
}

/** A graph over made-up subgraphs. Our executor and the Apollo executor run the same operations on it. */
export class BothExecutors {
  readonly graph: LoadedGraph;
  /** How often the Apollo executor did the work of ours, by fallback reason. */
  readonly fallbacks = new Map<string, number>();
  /** How many requests the subgraphs got from each executor. */
  readonly requests = { apollo: 0, ours: 0 };
  private readonly scenarios = new Map<string, Scenario>();
  /** The contexts of the requests that the Apollo executor sends. */
  private readonly apolloContexts = new WeakSet<GatewayContext>();

  constructor(sdls: SubgraphSdls) {
    this.graph = graphOf(
      composed(sdls),
      Object.entries(sdls).map(([name, sdl]) => this.counted(new MadeUpSubgraph(name, sdl, this.scenarios))),
    );
  }

  /** Returns undefined if the operation is invalid, or if the planner throws an error for it, as it does for a few. */
  prepare(query: string, operationName?: string): Prepared | undefined {
    const document = parse(query);
    const operation = getOperationAST(document, operationName);
    const { graph } = this;
    if (!operation || validate(graph.apiSchema, document).length > 0) return undefined;
    const plan = this.plan(document, operation);
    if (!plan) return undefined;
    const source = { graph, document, operation, plan };
    const execution = prepareExecution(source, {
      formatError: formatted,
      onFallback: (reason) => this.fallbacks.set(reason, (this.fallbacks.get(reason) ?? 0) + 1),
    });
    return {
      query,
      by: execution.by,
      source,
      run: (variables, scenario) => this.run(source, execution, { variables, scenario }),
    };
  }

  private counted(subgraph: Subgraph): Subgraph {
    return {
      name: subgraph.name,
      url: subgraph.url,
      send: (request) => {
        this.requests[this.apolloContexts.has(request.context) ? 'apollo' : 'ours'] += 1;
        return subgraph.send(request);
      },
      close: () => subgraph.close(),
    };
  }

  private plan(document: DocumentNode, operation: OperationDefinitionNode): QueryPlan | undefined {
    try {
      return planOperation(this.graph, document, operation);
    } catch {
      return undefined;
    }
  }

  private async run(
    source: ExecutionSource,
    execution: Execution,
    { variables: rawVariables, scenario }: { variables: Record<string, unknown>; scenario: Scenario },
  ): Promise<Responses> {
    const coerced = getVariableValues(
      this.graph.apiSchema,
      source.operation.variableDefinitions ?? [],
      rawVariables,
    );
    if (!coerced.coerced) throw new Error(coerced.errors.join('\n'));
    this.scenarios.set(scenario.seed, scenario);
    const context = { requestId: scenario.seed } as GatewayContext;
    const apolloContext = { ...context };
    this.apolloContexts.add(apolloContext);
    const request = { variables: coerced.coerced, rawVariables, context };
    const [apollo, json, result] = await Promise.all([
      apolloResponse(source, request, apolloContext),
      execution.toJson(request),
      execution.toResult(request),
    ]);
    this.scenarios.delete(scenario.seed);
    return { apollo, json: JSON.parse(json) as Response, result: responseOf(result) };
  }
}

async function apolloResponse(
  { graph, document, operation, plan }: ExecutionSource,
  { variables: coerced, rawVariables: variables }: Pick<ExecutionRequest, 'variables' | 'rawVariables'>,
  context: GatewayContext,
): Promise<Response | undefined> {
  const services: ServiceMap = {};
  for (const [name, subgraph] of graph.subgraphs)
    services[name] = {
      process: async ({ request: { query, operationName, variables: own } }) =>
        // The cast: the declared type is that of Apollo Server's answers, of which only data and errors are read.
        withoutInterfaceNames(
          await subgraph.send({
            body: JSON.stringify({ query, operationName, variables: own }),
            kind: 'query',
            context,
          }),
          graph.supergraphSchema,
          own,
        ) as never,
    };
  const requestContext = {
    request: { variables },
    context,
    schema: graph.apiSchema,
    metrics: {},
    logger: console,
  };
  try {
    const result = await executeQueryPlan(
      planForApollo(plan, graph.supergraphSchema, coerced),
      services,
      requestContext as never,
      buildOperationContext({
        schema: graph.apiSchema,
        operationDocument: document,
        operationName: operation.name?.value,
      }),
      graph.supergraphSchema,
      graph.federatedApiSchema,
    );
    return responseOf(result as ExecutionResult);
  } catch {
    return undefined;
  }
}

/** The result after serialization to JSON. Errors are formatted as Apollo Server formats any thrown value. */
const responseOf = ({ errors, ...rest }: ExecutionResult): Response =>
  JSON.parse(JSON.stringify({ ...(errors && { errors: errors.map(formatted) }), ...rest })) as Response;

function formatted(error: unknown): GraphQLFormattedError {
  return error instanceof GraphQLError ? error.toJSON() : { message: (error as Error).message };
}
