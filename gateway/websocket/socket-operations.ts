import { getOperationAST, GraphQLError, OperationTypeNode, print, type ExecutionResult } from 'graphql';
import {
  checkIntrospection,
  mayIntrospect,
  withoutSuggestion,
  type Introspection,
} from '#server/graphql/introspection.ts';
import { hasServerError } from '#server/graphql/graph-facts.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import { SpanKind, type Tracing } from '#server/observability/tracing.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { RateCounter } from '#server/rest/rate-limit.ts';
import { asGraphqlError } from '../execution/execution-context.ts';
import type { SocketGraph, SocketOperation } from './websocket-server.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { shownError } from '../response/client-error.ts';
import type { AnswerInParts, AnswersInParts } from '../defer/answers-in-parts.ts';
import { mayDefer } from '../defer/defer-directive.ts';
import type { IncrementalForm } from '../defer/incremental-result.ts';
import type { OperationOutcome } from '#server/http/request-log.ts';
import { invalidDocument, type DocumentCache } from '../operations/document-cache.ts';
import type { PreparedOperation } from '../operations/prepared-operation.ts';
import type { Graph } from '../operations/graph.ts';
import type { CostBudgets } from '../limits/cost-budgets.ts';
import type { UsageReport } from '../usage/usage-report.ts';

interface SocketOperationsOptions {
  graph: Graph;
  /** The validated documents of the sockets. */
  documents: DocumentCache;
  introspection: Introspection;
  /** Counts one operation of a caller for the rate limit. Absent: operations are not counted. */
  count: RateCounter | undefined;
  metrics: Metrics;
  answersInParts: AnswersInParts;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
  /** Undefined if usage is not reported. */
  usage: UsageReport | undefined;
  budgets: CostBudgets;
  log: Logger;
}

/** The checks and the execution of operations that come over a WebSocket, the same as over HTTP. */
export function socketOperations({
  graph,
  documents,
  introspection,
  count,
  metrics,
  answersInParts,
  tracing,
  usage,
  budgets,
  log,
}: SocketOperationsOptions): Pick<
  SocketGraph,
  'count' | 'check' | 'execute' | 'beginInParts' | 'executeInParts' | 'clientMessage' | 'shown'
> {
  const clientMessage = (message: string, { viewer }: GatewayContext): string =>
    mayIntrospect(viewer, introspection) ? message : withoutSuggestion(message);
  const shown = (error: unknown, context: GatewayContext): GraphQLError => {
    const { message, path, extensions } = shownError(asGraphqlError(error), log);
    return new GraphQLError(clientMessage(message, context), { path, extensions });
  };
  /** The context of one operation, and what counts it in the metrics and ends its span. */
  const begun = (socketContext: GatewayContext) => {
    const startedAt = performance.now();
    // A tool of an agent runs in the span of its HTTP request.
    const span =
      socketContext.span?.child(OPERATION) ?? tracing?.start(OPERATION, undefined, { kind: SpanKind.server });
    const executed: NonNullable<GatewayContext['executed']> = {};
    const done = (outcome: OperationOutcome): void => {
      const { kind = 'read', attributes } = executed.operation ?? {};
      metrics.operationDone(kind, outcome, (performance.now() - startedAt) / 1_000, span);
      if (outcome === 'failed') span?.fail('GRAPHQL_ERRORS');
      span?.set({ 'network.protocol.name': 'websocket', ...attributes });
      span?.end();
    };
    return { context: { ...socketContext, executed, ...(span && { span }) }, done };
  };
  /** By context: operations that `executeInParts` began and `execute` continues, because they are answered whole. */
  const answeredWhole = new WeakMap<GatewayContext, ReturnType<typeof begun>>();
  /**
   * The operation on the current supergraph, which may have replaced the one by which the door validated the document: the
   * door waits for the rate limit in between.
   * @throws GraphQLError if the document is not valid any more
   */
  const prepared = ({ document, operationName }: SocketOperation): PreparedOperation => {
    const { operations } = graph.current;
    const text = document.loc?.source.body ?? print(document);
    const known = operations.known(text, operationName);
    if (known) return known;
    const [error] = documents.of(text).errors;
    if (error) throw invalidDocument(error);
    return operations.prepare(text, operationName);
  };
  const execution = async (operation: SocketOperation, context: GatewayContext): Promise<ExecutionResult> => {
    const { variables: rawVariables } = operation;
    const ready = prepared(operation);
    const admitted = ready.admit(rawVariables, context.viewer);
    if ('errors' in admitted) return { errors: admitted.errors };
    return ready.toResult({ variables: admitted.coerced, rawVariables, context });
  };
  const beginInParts = async (
    operation: SocketOperation,
    context: GatewayContext,
    { form, onOver }: { form: IncrementalForm; onOver?: (answer: AnswerInParts) => void },
  ): Promise<AnswerInParts | undefined> => {
    const { variables: rawVariables } = operation;
    const ready = prepared(operation);
    if (!ready.hasDefer) return undefined;
    const admitted = ready.admit(rawVariables, context.viewer);
    if ('errors' in admitted) return undefined;
    const request = { variables: admitted.coerced, rawVariables, context };
    return answersInParts.begin(ready, request, form, onOver);
  };
  return {
    clientMessage,
    shown,
    async count(context) {
      const state = await count?.(context);
      if (state?.refusal) throw state.refusal;
    },
    check({ document, operationName, variables }, context) {
      checkIntrospection(document, context.viewer, introspection);
      // `PreparedOperation.admit` checks the cost of a query or mutation.
      const operation = getOperationAST(document, operationName);
      if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const { operations, loaded } = graph.current;
      const cost = operations.checkCost(document, operation, variables, context.viewer);
      budgets.chargeSubscription(context, cost);
      usage?.countDocument(loaded.apiSchema, document, operation, context.clientName);
    },
    beginInParts: (operation, context, form) => beginInParts(operation, context, { form }),
    async executeInParts(operation, socketContext) {
      if (!mayDefer(operation.document.loc?.source.body ?? '')) return undefined;
      const own = begun(socketContext);
      const answer = await beginInParts(operation, own.context, {
        form: socketContext.incrementalForm ?? '2022',
        onOver: ({ hasFailed, isLeft }) => own.done(hasFailed ? 'failed' : isLeft ? 'aborted' : 'answered'),
      }).catch(() => undefined); // `execute` reports the error
      if (!answer) answeredWhole.set(socketContext, own);
      return answer;
    },
    async execute(operation, socketContext) {
      const { context, done } = answeredWhole.get(socketContext) ?? begun(socketContext);
      // A rejection would close the socket, with all its other operations.
      const { errors, ...result } = await execution(operation, context).catch(
        (error: unknown): ExecutionResult => ({ errors: [asGraphqlError(error)] }),
      );
      const shownErrors = errors?.map((error) => shown(error, context));
      const hasFailed = shownErrors !== undefined && hasServerError(shownErrors);
      done(hasFailed ? 'failed' : result.data ? 'answered' : 'refused');
      return shownErrors ? { ...result, errors: shownErrors } : result;
    },
  };
}

/** The name of the span of an operation over a socket. */
const OPERATION = 'operation /graphql';
