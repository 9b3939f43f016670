import type { FetchNode, QueryPlan } from '@apollo/query-planner';
import type {
  DocumentNode,
  ExecutionResult,
  GraphQLError,
  GraphQLFormattedError,
  OperationDefinitionNode,
} from 'graphql';
import type { FetchCaching } from '../cache/fetch-caching.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';

/** A planned operation, from which an `Execution` is prepared once. */
export interface ExecutionSource {
  readonly graph: LoadedGraph;
  /** The client's document, valid against the API schema. The response has its shape. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** It may be made from a document without the fields that the caller may not read; they are null in the response. */
  readonly plan: QueryPlan;
  /** Removes values that the caller may not read from the fetched data, before result coercion. */
  readonly removeRefusedValues?: ((data: Record<string, unknown>) => void) | undefined;
  /** A fetch of the plan that is not sent: `primaryAnswer`, the event of a subscription, is its answer. */
  readonly primary?: FetchNode | undefined;
  /** Answers fetches from the cache that all gateways share. Absent: every fetch is sent. */
  readonly caching?: FetchCaching | undefined;
}

export interface ExecutionRequest {
  /** As graphql-js coerces them for the operation: `getVariableValues(...).coerced`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The variables as the client sent them; the subgraphs get these. */
  readonly rawVariables: Readonly<Record<string, unknown>>;
  readonly context: GatewayContext;
  readonly primaryAnswer?: SubgraphAnswer;
  /** Errors from before the execution, such as refused fields; they come first in the response. */
  readonly errors?: readonly GraphQLError[];
  /** Whether its fetches are sent although the shared cache may have their answers, because the whole response is cached. */
  readonly skipsFetchCache?: boolean;
  /** The state of the data for which the response will be cached; absent if it will not be. See `SubgraphRequest`. */
  readonly dataState?: string;
}

/** Options that all executions of a gateway share. */
export interface ExecutionOptions {
  /** An error as the client may see it. */
  formatError(error: GraphQLError): GraphQLFormattedError;
  /** Called if @apollo/gateway's executor takes over: once for an operation that it always runs, or for each single response. */
  onFallback?(reason: string): void;
}

/** An operation that is ready to run, any number of times concurrently. */
export interface Execution {
  /** `apollo`: @apollo/gateway's executor runs it, because the operation has a fallback reason. */
  readonly by: 'compiled' | 'apollo';
  /** The response as JSON text, its errors formatted by `formatError`. Never rejects. */
  toJson(request: ExecutionRequest): Promise<string>;
  /** The response as values, its errors unformatted. Never rejects. */
  toResult(request: ExecutionRequest): Promise<ExecutionResult>;
}
