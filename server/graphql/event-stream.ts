import {
  createSourceEventStream,
  execute,
  GraphQLError,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { CHECK_SESSIONS_MILLIS } from '../auth/ended-sessions.ts';
import { AudienceNotice, EVERYBODY, type Audience } from '../audience.ts';
import { PlatformError } from '../errors.ts';
import { kindOf } from '../event-kind.ts';
import type { Logger } from '../observability/logger.ts';
import { formatGraphqlError, graphqlErrorOf } from './errors.ts';

/** The arguments for the execution of each event, besides the operation. */
export interface EventStreamArgs extends ExecutionArgs {
  contextFor(): Promise<object>;
  /** @throws UNAUTHENTICATED once the token has expired or its log-in was ended */
  checkViewer(): Promise<unknown>;
  readonly audience: Audience | undefined;
  onEnd(): void;
}

/**
 * graphql-js's `subscribe`, but with a fresh context for each event. The stream ends with an error when no context can be
 * made any more, because the token has expired.
 */
export async function eventStream(
  args: EventStreamArgs,
  log: Logger,
): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) {
    args.onEnd();
    return masked(source, log);
  }
  const events = source[Symbol.asyncIterator]();
  let refusal: PlatformError | undefined;
  const refuse = (error: unknown): void => {
    if (!(error instanceof PlatformError) || error.code !== 'UNAUTHENTICATED') return;
    refusal = error;
    void events.return?.();
  };
  const checking = setInterval(() => void args.checkViewer().catch(refuse), CHECK_SESSIONS_MILLIS);
  checking.unref();
  let isFirst = true;
  const extensionsOf = (event: unknown): ExecutionResult['extensions'] => {
    const audience = isFirst && args.audience && !args.audience.excludesMembers ? EVERYBODY : undefined;
    isFirst = false;
    const kind = kindOf(event);
    return (kind || audience) && { ...(kind && { event: kind }), ...(audience && { audience }) };
  };
  const end = (): IteratorResult<ExecutionResult> => {
    clearInterval(checking);
    args.onEnd();
    if (!refusal) return { done: true, value: undefined };
    const last = { errors: [graphqlErrorOf(refusal)] };
    refusal = undefined;
    return { done: false, value: last };
  };
  const stream: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      const event = await events.next();
      if (event.done) return end();
      if (event.value instanceof AudienceNotice)
        return { done: false, value: { extensions: { audience: event.value } } };
      let contextValue: object;
      try {
        contextValue = await args.contextFor();
      } catch (error) {
        refuse(error);
        if (!refusal) throw error;
        return end();
      }
      const result = masked(await execute({ ...args, rootValue: event.value, contextValue }), log);
      const extensions = extensionsOf(event.value);
      return { done: false, value: extensions ? { ...result, extensions } : result };
    },
    // Passed on at once: if a client leaves while no event comes, the source's listener must still be removed.
    async return() {
      clearInterval(checking);
      args.onEnd();
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

/** The result with its errors as they are sent: graphql-ws writes each by its `toJSON`. */
export function masked(result: ExecutionResult, log: Logger): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) =>
    Object.assign(new GraphQLError(error.message, error), {
      toJSON: () => formatGraphqlError(error.toJSON(), error, log),
    }),
  );
  return { ...result, errors };
}
