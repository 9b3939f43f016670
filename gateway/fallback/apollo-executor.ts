import { buildOperationContext, executeQueryPlan, type GraphQLDataSource } from '@apollo/gateway';
import type { FetchNode, QueryPlan } from '@apollo/query-planner';
import { parse, OperationTypeNode, type ExecutionResult } from 'graphql';
import type { Subgraph, SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { ExecutionRequest, ExecutionSource } from '../execution/execution.ts';
import type { JsonObject } from '#server/json-object.ts';
import { copyOf } from '../fetch/merge.ts';
import { withoutFiles, type Files } from '../fetch/upload-variables.ts';

type ApolloRequest = Parameters<GraphQLDataSource['process']>[0];
type ApolloAnswer = Awaited<ReturnType<GraphQLDataSource['process']>>;

/**
 * @apollo/gateway's own executor, called by its exported names. It is the reference for the compiled executor, and runs
 * the operations that the compiled executor does not support.
 */
export class ApolloExecutor {
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
    const { graph, plan, primary, removeRefusedValues } = this.source;
    const services: Record<string, GraphQLDataSource> = {};
    for (const [name, subgraph] of graph.subgraphs) services[name] = new Source(subgraph, request, primary);
    const result = await this.execute(plan, services, request);
    if (!removeRefusedValues || !result.data) return result;
    removeRefusedValues(result.data);
    // The data is coerced a second time, because a removed value may be of a non-null type.
    const { data } = await this.coerce(result.data, request);
    return { ...result, data: data ?? null };
  }

  /** Result coercion alone, of data that has been fetched already. */
  coerce(data: JsonObject, request: ExecutionRequest): Promise<ExecutionResult> {
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
      requestContext as never, // only the fields that the executor reads
      this.operationContext,
      graph.supergraphSchema,
      graph.federatedApiSchema,
    )) as ExecutionResult;
  }
}

/** A subgraph in the form that @apollo/gateway's executor calls. */
class Source implements GraphQLDataSource {
  private readonly subgraph: Subgraph;
  private readonly request: ExecutionRequest;
  private readonly primary: FetchNode | undefined;

  constructor(subgraph: Subgraph, request: ExecutionRequest, primary: FetchNode | undefined) {
    this.subgraph = subgraph;
    this.request = request;
    this.primary = primary;
  }

  async process({ request }: ApolloRequest): Promise<ApolloAnswer> {
    const { primary, subgraph } = this;
    const isPrimary = subgraph.name === primary?.serviceName && request.query === primary.operation;
    return (
      isPrimary ? copyOf(this.request.primaryAnswer ?? { data: null }) : await this.send(request)
    ) as ApolloAnswer;
  }

  private send({
    query = '',
    operationName,
    variables = {},
  }: ApolloRequest['request']): Promise<SubgraphAnswer> {
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
    const { context, dataState } = this.request;
    return this.subgraph.send({ body, kind, context, dataState, ...(files.size > 0 && { files }) });
  }
}

/** The only fetch of a plan for data that has been fetched already. */
const FETCHED: FetchNode = {
  kind: 'Fetch',
  serviceName: 'fetched',
  operation: '',
  operationName: undefined,
  operationKind: OperationTypeNode.QUERY,
};

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // The result contains the same errors.
}
