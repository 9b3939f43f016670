import { getOperationAST, GraphQLError, OperationTypeNode, print, type ExecutionResult } from 'graphql';
import {
  checkIntrospection,
  mayIntrospect,
  withoutSuggestion,
  type Introspection,
} from '#server/graphql/introspection.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { RateCounter } from '#server/rest/rate-limit.ts';
import { asGraphqlError } from '../execution/execution-context.ts';
import type { SocketGraph, SocketOperation } from './websocket-server.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { shownError } from '../response/client-error.ts';
import type { Graph } from '../operations/graph.ts';

interface SocketOperationsOptions {
  graph: Graph;
  introspection: Introspection;
  /** Counts one operation of a caller for the rate limit. Absent: operations are not counted. */
  count: RateCounter | undefined;
  log: Logger;
}

/** The checks and the execution of operations that come over a WebSocket, the same as over HTTP. */
export function socketOperations({
  graph,
  introspection,
  count,
  log,
}: SocketOperationsOptions): Pick<SocketGraph, 'admit' | 'execute' | 'clientMessage'> {
  const clientMessage = (message: string, { viewer }: GatewayContext): string =>
    mayIntrospect(viewer, introspection) ? message : withoutSuggestion(message);
  return {
    clientMessage,
    async admit({ document, operationName, variables }, context) {
      const state = await count?.(context);
      if (state?.refusal) throw state.refusal;
      checkIntrospection(document, context.viewer, introspection);
      // `PreparedOperation.admit` checks the cost of a query or mutation.
      const operation = getOperationAST(document, operationName);
      if (operation?.operation === OperationTypeNode.SUBSCRIPTION)
        graph.current.operations.checkCost(document, operation, variables, context.viewer);
    },
    async execute(operation, context) {
      // A rejection would close the socket, with all its other operations.
      const { errors, ...result } = await executed(graph, operation, context).catch(
        (error: unknown): ExecutionResult => ({ errors: [asGraphqlError(error)] }),
      );
      if (!errors) return result;
      const shown = errors.map((error) => {
        const { message, path, extensions } = shownError(error, log);
        return new GraphQLError(clientMessage(message, context), { path, extensions });
      });
      return { ...result, errors: shown };
    },
  };
}

async function executed(
  graph: Graph,
  { document, operationName, variables: rawVariables }: SocketOperation,
  context: GatewayContext,
): Promise<ExecutionResult> {
  const source = document.loc?.source.body ?? print(document);
  const prepared = graph.current.operations.prepare(source, operationName);
  const admitted = prepared.admit(rawVariables, context.viewer);
  if ('errors' in admitted) return { errors: admitted.errors };
  return prepared.toResult({ variables: admitted.coerced, rawVariables, context });
}
