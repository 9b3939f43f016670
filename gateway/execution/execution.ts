import type { FetchNode, QueryPlan } from '@apollo/query-planner';
import type {
  DocumentNode,
  ExecutionResult,
  GraphQLError,
  GraphQLFormattedError,
  OperationDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../graph/context.ts';
import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';

/** An operation to be made ready for many executions. */
export interface ExecutionSource {
  readonly graph: LoadedGraph;
  /** What the client asked for, valid against the API schema: the answer has its shape. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /**
   * What is fetched. It may be planned from a document of which fields were taken away (for want of rights): they are
   * null in the answer then.
   */
  readonly plan: QueryPlan;
  /** Takes out of what was fetched what must not be shown, before it is shaped. */
  readonly withhold?: ((data: Record<string, unknown>) => void) | undefined;
  /** A fetch of the plan that is not sent, but answered by `primaryAnswer`: a subscription's event. */
  readonly primary?: FetchNode | undefined;
}

export interface ExecutionRequest {
  /** As graphql-js coerces them for the operation: `getVariableValues(...).coerced`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The variables as the client sent them: what subgraphs get. */
  readonly rawVariables: Readonly<Record<string, unknown>>;
  readonly context: GatewayContext;
  readonly primaryAnswer?: SubgraphAnswer;
  /** Errors that stand before those of the execution, such as refused fields. */
  readonly errors?: readonly GraphQLError[];
}

/** What every execution of a gateway has in common. */
export interface ExecutionOptions {
  /** An error as the client may see it. */
  formatError(error: GraphQLError): GraphQLFormattedError;
  /** Told where @apollo/gateway's executor does the work: once for an operation, or for one response of it. */
  onFallback?(reason: string): void;
}

/** An operation that is ready to run, any number of times at once. */
export interface Execution {
  /** `compiled`, or `gateway` where @apollo/gateway's own executor runs it, as the plan holds something rare. */
  readonly by: 'compiled' | 'gateway';
  /** The response as JSON text, its errors as `formatError` gives them. Never rejects. */
  toJson(request: ExecutionRequest): Promise<string>;
  /** The response as values, its errors raw. Never rejects. */
  toResult(request: ExecutionRequest): Promise<ExecutionResult>;
}
