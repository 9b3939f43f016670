import {
  createSourceEventStream,
  GraphQLError,
  execute,
  parse,
  validate,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { WebSocketServer } from 'ws';
import { viewerOf } from '../auth/authenticate.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { PlatformError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { formatGraphqlError, graphqlErrorOf } from './errors.ts';
import { operationLimiter, SUBGRAPH_LIMITS } from './limits.ts';

export interface SubscriptionEndpointOptions {
  schema: GraphQLSchema;
  verifier: TokenVerifier;
  log: Logger;
  /** A context of its own for every event: rights and loaded rows must not grow old with the subscription. */
  contextFor(authorization: string | undefined): Promise<object>;
}

/**
 * Serves the schema over WebSocket (graphql-transport-ws). Who asks is decided for each operation:
 * by `extensions.authorization` of its subscribe message (the gateway carries many users over one socket),
 * else by `Authorization` in the connection parameters. Returns what stops it.
 */
export function serveSubscriptions(
  sockets: WebSocketServer,
  options: SubscriptionEndpointOptions,
): () => Promise<void> {
  const limiter = operationLimiter(SUBGRAPH_LIMITS);
  const endpoint = useServer(
    {
      schema: options.schema,
      onSubscribe: async (socket, _id, payload) => {
        const authorization =
          stringIn(payload.extensions, 'authorization') ?? stringIn(socket.connectionParams, 'authorization');
        try {
          limiter.check(payload.query);
          await viewerOf(authorization, options.verifier);
          const document = parse(payload.query);
          const errors = validate(options.schema, document);
          if (errors.length > 0) return errors;
          const args = {
            schema: options.schema,
            document,
            operationName: payload.operationName,
            variableValues: payload.variables,
          };
          return {
            ...args,
            contextValue: await options.contextFor(authorization),
            contextFor: () => options.contextFor(authorization),
            checkViewer: () => viewerOf(authorization, options.verifier),
          } as ExecutionArgs;
        } catch (error) {
          if (error instanceof PlatformError) return [graphqlErrorOf(error)];
          throw error;
        }
      },
      execute: async (args) => masked(await execute(args), options.log),
      subscribe: (args) => eventStream(args as EventStreamArgs, options.log),
    },
    sockets,
    25_000, // ping every 25 s
  );
  return async () => {
    await endpoint.dispose();
  };
}

interface EventStreamArgs extends ExecutionArgs {
  contextFor(): Promise<object>;
  /** @throws UNAUTHENTICATED once the token has expired or its log-in was ended */
  checkViewer(): Promise<unknown>;
}

/** Who logs out elsewhere hears nothing more within 5 s; who hears nothing anyway is not kept for ever, either. */
const CHECK_VIEWER_MILLIS = 4_000;

/**
 * graphql-js's `subscribe`, but with a fresh context for each event; it ends with an error where there can be none any
 * more, because the token has expired.
 */
async function eventStream(
  args: EventStreamArgs,
  log: Logger,
): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return masked(source, log);
  const events = source[Symbol.asyncIterator]();
  let refusal: PlatformError | undefined;
  const refuse = (error: unknown): void => {
    if (!(error instanceof PlatformError) || error.code !== 'UNAUTHENTICATED') return;
    refusal = error;
    void events.return?.();
  };
  const checking = setInterval(() => void args.checkViewer().catch(refuse), CHECK_VIEWER_MILLIS);
  checking.unref();
  const end = (): IteratorResult<ExecutionResult> => {
    clearInterval(checking);
    if (!refusal) return { done: true, value: undefined };
    const last = { errors: [graphqlErrorOf(refusal)] };
    refusal = undefined;
    return { done: false, value: last };
  };
  const stream: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      const event = await events.next();
      if (event.done) return end();
      let contextValue: object;
      try {
        contextValue = await args.contextFor();
      } catch (error) {
        refuse(error);
        if (!refusal) throw error;
        return end();
      }
      return {
        done: false,
        value: masked(await execute({ ...args, rootValue: event.value, contextValue }), log),
      };
    },
    // Passed on at once: a client that leaves while nothing happens must not leave its listener behind.
    async return() {
      clearInterval(checking);
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

/** Errors as they are sent: graphql-ws writes each by its `toJSON`. */
function masked(result: ExecutionResult, log: Logger): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) =>
    Object.assign(new GraphQLError(error.message, error), {
      toJSON: () => formatGraphqlError(error.toJSON(), error, log),
    }),
  );
  return { ...result, errors };
}

/** A text value by its name in any case. */
function stringIn(record: unknown, name: string): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const entry = Object.entries(record).find(([key]) => key.toLowerCase() === name);
  return typeof entry?.[1] === 'string' ? entry[1] : undefined;
}
