import {
  createSourceEventStream,
  execute,
  getOperationAST,
  GraphQLError,
  Kind,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { CHECK_SESSIONS_MILLIS } from '../auth/ended-sessions.ts';
import { AddressedEvent, EligibilityNotice, EVERYBODY, type Audience } from '../audience.ts';
import { PlatformError } from '../errors.ts';
import { kindOf, type EventKind } from '../event-kind.ts';
import { causeOf, secondsSince, type EventCause } from '../observability/event-cause.ts';
import type { Logger } from '../observability/logger.ts';
import { withSpan, type Span } from '../observability/tracing.ts';
import { formatGraphqlError, graphqlErrorOf } from './errors.ts';

/** The arguments of graphql-js for the operation, and what the stream of its events needs besides them. */
export interface EventStreamArgs extends ExecutionArgs {
  contextFor(): Promise<object>;
  /** Begins the span of an event whose cause is sampled; undefined if tracing is off. @param cause the cause's trace context */
  begin?(field: string, cause: string): Span | undefined;
  /** Whether events name their cause: only for the gateway, because other clients should not see the cause. */
  readonly namesCause?: boolean;
  /** Called for each event to a client that is not the gateway, with the seconds since its cause. */
  onDelivered?(field: string, seconds: number): void;
  /** @throws UNAUTHENTICATED if the token has expired or its session has ended */
  checkViewer(): Promise<unknown>;
  readonly audience: Audience | undefined;
  onEnd(): void;
}

/**
 * The same as `subscribe` of graphql-js, but with a new context for each event. If the token has expired or its session
 * has ended, the stream ends with an error.
 */
export async function eventStream(
  args: EventStreamArgs,
  log: Logger,
): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) {
    args.onEnd();
    return withPublicErrors(source, log);
  }
  return new EventStream(source[Symbol.asyncIterator](), args, log);
}

class EventStream implements AsyncIterableIterator<ExecutionResult> {
  private readonly events: AsyncIterator<unknown>;
  private readonly args: EventStreamArgs;
  private readonly log: Logger;
  private readonly checking: NodeJS.Timeout;
  /** The error with which the stream ends; undefined again after it was sent. */
  private refusal: PlatformError | undefined;
  private isFirst = true;
  private isReleased = false;
  /** The name of the subscription's field. */
  private readonly field: string;

  constructor(events: AsyncIterator<unknown>, args: EventStreamArgs, log: Logger) {
    this.events = events;
    this.args = args;
    this.field = fieldOf(args);
    this.log = log;
    this.checking = setInterval(
      () => void args.checkViewer().catch((error: unknown) => this.refuse(error)),
      CHECK_SESSIONS_MILLIS,
    );
    this.checking.unref();
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    try {
      return await this.nextResult();
    } catch (error) {
      // Callers of `next` do not call `return` after an error, so the source would be kept until the process ends.
      await this.return();
      throw error;
    }
  }

  private async nextResult(): Promise<IteratorResult<ExecutionResult>> {
    const { args } = this;
    const event = await this.events.next();
    if (event.done) return this.end();
    if (event.value instanceof EligibilityNotice)
      return { done: false, value: { extensions: { audience: event.value } } };
    const cause = causeOf(event.value);
    const span = cause?.traceparent ? args.begin?.(this.field, cause.traceparent) : undefined;
    try {
      return await withSpan(span, () => this.executed(event.value, cause && { ...cause, ...spanOf(span) }));
    } finally {
      span?.end();
    }
  }

  private async executed(
    value: unknown,
    cause: EventCause | undefined,
  ): Promise<IteratorResult<ExecutionResult>> {
    const { args } = this;
    let contextValue: object;
    try {
      contextValue = await args.contextFor();
    } catch (error) {
      this.refuse(error);
      if (!this.refusal) throw error;
      return this.end();
    }
    const rootValue = value instanceof AddressedEvent ? value.event : value;
    const result = withPublicErrors(await execute({ ...args, rootValue, contextValue }), this.log);
    const extensions = this.extensionsOf(value, kindOf(rootValue), args.namesCause ? cause : undefined);
    if (cause && !args.namesCause) args.onDelivered?.(this.field, secondsSince(cause));
    return { done: false, value: extensions ? { ...result, extensions } : result };
  }

  // The source's `return` must not wait for the next event: if a client leaves, its listener is removed at once.
  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.release();
    await this.events.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private refuse(error: unknown): void {
    if (!(error instanceof PlatformError) || error.code !== 'UNAUTHENTICATED') return;
    this.refusal = error;
    void this.events.return?.();
  }

  private extensionsOf(
    value: unknown,
    kind: EventKind | undefined,
    cause: EventCause | undefined,
  ): ExecutionResult['extensions'] {
    const { audience } = this.args;
    const isForEverybody = this.isFirst && audience && !audience.decidesByMember;
    this.isFirst = false;
    const extensions = {
      ...(kind && { event: kind }),
      ...(isForEverybody && { audience: EVERYBODY }),
      ...(value instanceof AddressedEvent && { to: value.to }),
      ...(cause && { cause: { ...cause, subscription: this.field } }),
    };
    return Object.keys(extensions).length > 0 ? extensions : undefined;
  }

  private end(): IteratorResult<ExecutionResult> {
    this.release();
    const { refusal } = this;
    this.refusal = undefined;
    return refusal
      ? { done: false, value: { errors: [graphqlErrorOf(refusal)] } }
      : { done: true, value: undefined };
  }

  private release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    clearInterval(this.checking);
    this.args.onEnd();
  }
}

const spanOf = (span: Span | undefined) => span && { traceparent: span.traceparent };

const fieldOf = ({ document, operationName }: ExecutionArgs): string => {
  const [first] = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  return first?.kind === Kind.FIELD ? first.name.value : 'subscription';
};

/**
 * The result with errors that become what the client may see (`formatGraphqlError`) when graphql-ws serialises them: it calls
 * the `toJSON` of each error.
 */
export function withPublicErrors(result: ExecutionResult, log: Logger): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) =>
    Object.assign(new GraphQLError(error.message, error), {
      toJSON: () => formatGraphqlError(error.toJSON(), error, log),
    }),
  );
  return { ...result, errors };
}
