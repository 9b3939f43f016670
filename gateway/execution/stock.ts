import { buildOperationContext, executeQueryPlan, type GraphQLDataSource } from '@apollo/gateway';
import type { FetchNode, QueryPlan } from '@apollo/query-planner';
import { parse, OperationTypeNode, type ExecutionResult } from 'graphql';
import type { Subgraph, SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { ExecutionRequest, ExecutionSource } from './execution.ts';
import { copyOf, type Values } from './merge.ts';
import { withoutFiles, type Files } from './upload-variables.ts';

type Asked = Parameters<GraphQLDataSource['process']>[0];
type Answered = Awaited<ReturnType<GraphQLDataSource['process']>>;

/** @apollo/gateway's own executor, by its exported names: the measure of ours, and what runs in its place where something is rare. */
export class StockExecutor {
  private readonly source: ExecutionSource;
  private readonly operationContext: ReturnType<typeof buildOperationContext>;

  constructor(source: ExecutionSource) {
    this.source = source;
    this.operationContext = buildOperationContext({
      schema: source.graph.apiSchema,
      operationDocument: source.document,
      operationName: source.operation.name?.value,
    });
  }

  /** Runs the whole plan. */
  async run(request: ExecutionRequest): Promise<ExecutionResult> {
    const { graph, plan, primary, withhold } = this.source;
    const services: Record<string, GraphQLDataSource> = {};
    for (const [name, subgraph] of graph.subgraphs) services[name] = new Source(subgraph, request, primary);
    const result = await this.execute(plan, services, request);
    if (!withhold || !result.data) return result;
    withhold(result.data);
    // Once more, because what was taken away may have been promised not to be null.
    const { data } = await this.shape(result.data, request);
    return { ...result, data: data ?? null };
  }

  /** Gives its shape to data that has been fetched already, and tells where it breaks the schema's promises. */
  shape(data: Values, request: ExecutionRequest): Promise<ExecutionResult> {
    const fetched = { process: async () => ({ data }) };
    return this.execute({ kind: 'QueryPlan', node: FETCHED }, { [FETCHED.serviceName]: fetched }, request);
  }

  private async execute(
    plan: QueryPlan,
    services: Record<string, GraphQLDataSource>,
    { rawVariables, context }: ExecutionRequest,
  ): Promise<ExecutionResult> {
    const { graph, document, operation } = this.source;
    const requestContext = {
      request: { variables: rawVariables },
      context,
      logger: SILENT,
      schema: graph.apiSchema,
      document,
      operation,
      operationName: operation.name?.value ?? null,
      metrics: {},
    };
    return (await executeQueryPlan(
      plan,
      services,
      requestContext as never, // what the executor reads of Apollo Server's, and no more
      this.operationContext,
      graph.supergraphSchema,
      graph.federatedApiSchema,
    )) as ExecutionResult;
  }
}

/** A subgraph as @apollo/gateway's executor asks it. */
class Source implements GraphQLDataSource {
  private readonly subgraph: Subgraph;
  private readonly request: ExecutionRequest;
  private readonly primary: FetchNode | undefined;

  constructor(subgraph: Subgraph, request: ExecutionRequest, primary: FetchNode | undefined) {
    this.subgraph = subgraph;
    this.request = request;
    this.primary = primary;
  }

  async process({ request }: Asked): Promise<Answered> {
    const { primary, subgraph } = this;
    const isPrimary = subgraph.name === primary?.serviceName && request.query === primary.operation;
    return (
      isPrimary ? copyOf(this.request.primaryAnswer ?? { data: null }) : await this.send(request)
    ) as Answered;
  }

  private send({ query = '', operationName, variables = {} }: Asked['request']): Promise<SubgraphAnswer> {
    const files: Files = new Map();
    const body = JSON.stringify({
      query,
      operationName,
      variables: withoutFiles(variables, 'variables', files),
    });
    const kind = parse(query).definitions.some(
      (definition) => 'operation' in definition && definition.operation === OperationTypeNode.MUTATION,
    )
      ? 'mutation'
      : 'query';
    const { context } = this.request;
    return this.subgraph.send({ body, kind, context, ...(files.size > 0 && { files }) });
  }
}

/** Stands for all fetches of a plan that have been made. */
const FETCHED: FetchNode = {
  kind: 'Fetch',
  serviceName: 'fetched',
  operation: '',
  operationName: undefined,
  operationKind: OperationTypeNode.QUERY,
};

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // What goes wrong stands in the result.
}
