import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import type { Deliveries } from '../subscriptions/deliveries.ts';
import type { StreamFormat } from './stream-format.ts';

/**
 * How long the response waits for the first result. An error until then is an ordinary JSON answer with its status; later
 * ones are part of the stream.
 */
const FIRST_RESULT_MILLIS = 1_000; // 1 s
/** The time between an error that interrupts the stream and the end of the body: graphql-sse waits for ever if it reads both at once. */
const END_AFTER_ERROR_MILLIS = 100;
/** A client that does not read the end within this time is disconnected. */
const READ_END_MILLIS = 1_000; // 1 s

interface ResultStreamOptions {
  res: ServerResponse;
  format: StreamFormat;
  results: AsyncIterator<ExecutionResult>;
  /** Absent for results that are no events. */
  deliveries?: Pick<Deliveries, 'sending'>;
  /** The error as the client may see it. */
  shown(error: unknown): GraphQLError;
}

/**
 * The results of one subscription as the body of a response. As on a socket, each result waits until the previous one is
 * written to the connection, so that the results of a client that does not read wait in its `ResultQueue`.
 */
export class ResultStream {
  private readonly options: ResultStreamOptions;
  /** How many writes began, and how many of them the client's connection has accepted. */
  private begun = 0;
  private accepted = 0;
  /** `accepted` at the last heartbeat that found unaccepted writes. */
  private acceptedBefore: number | undefined;
  private onAccepted: () => void = () => undefined;
  private interruption: PlatformError | undefined;

  constructor(options: ResultStreamOptions) {
    this.options = options;
    const { res, results } = options;
    // If the client left before, 'close' was emitted already, so a listener would never be called.
    if (res.closed) void results.return?.();
    else
      res.once('close', () => {
        void results.return?.();
        this.onAccepted();
      });
  }

  /**
   * Streams until the results end, or the client leaves.
   * @throws GraphQLError or PlatformError if the subscription is refused before its first result; nothing is sent then
   */
  async run(): Promise<void> {
    const { results, res, format, deliveries } = this.options;
    let next = results.next();
    await this.settledOrLate(next);
    if (this.interruption) throw this.interruption;
    if (res.closed) return;
    this.begin();
    try {
      for (;;) {
        const { done, value } = await next;
        if (done) break;
        const sent = deliveries?.sending(value);
        await this.accept(bytesOf(format, value));
        sent?.();
        next = results.next();
      }
      if (!this.interruption) this.end(format.complete);
    } catch (error) {
      this.end(format.failed(JSON.stringify([this.options.shown(error)])));
    }
  }

  /** Ends the stream, but not the operation: the client sends it again. Resolves when the response is closed. */
  async interrupt(error: PlatformError): Promise<void> {
    const { res, format, results } = this.options;
    if (this.interruption || res.closed) return;
    this.interruption = error;
    const closed = once(res, 'close');
    void results.return?.();
    if (res.headersSent && !res.writableEnded) {
      this.write(Buffer.from(format.interrupted(JSON.stringify([graphqlErrorOf(error)]))));
      setTimeout(() => this.end(''), END_AFTER_ERROR_MILLIS);
    }
    await closed;
  }

  /**
   * Sends a heartbeat, by which proxies see that the stream is in use. Disconnects a client whose connection has accepted
   * nothing since the last heartbeat.
   */
  beat(): void {
    const { res, format } = this.options;
    if (!res.headersSent || res.writableEnded) return;
    if (this.accepted === this.begun) {
      this.acceptedBefore = undefined;
      if (format.heartbeat) this.write(Buffer.from(format.heartbeat));
    } else if (this.acceptedBefore === this.accepted) res.destroy();
    else this.acceptedBefore = this.accepted;
  }

  /** @throws the error with which the results ended before the first one */
  private async settledOrLate(first: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, FIRST_RESULT_MILLIS);
    try {
      await Promise.race([first, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private begin(): void {
    const { res, format } = this.options;
    res.statusCode = 200;
    res.setHeader('Content-Type', format.contentType);
    // Neither this server's compression nor a proxy may hold results back.
    res.setHeader('Cache-Control', 'no-store, no-transform');
    res.setHeader('X-Accel-Buffering', 'no');
    res.flushHeaders();
    this.write(Buffer.from(format.opening));
  }

  /** Resolves when the connection has accepted the bytes, or is closed. */
  private accept(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.onAccepted = resolve;
      this.write(bytes, resolve);
    });
  }

  private write(bytes: Buffer, onAccepted?: () => void): void {
    const { res } = this.options;
    if (res.closed || res.writableEnded) return onAccepted?.();
    this.begun += 1;
    // The method of the package `compression`, which replaces Node's, ignores the callback.
    ServerResponse.prototype.write.call(res, bytes, 'utf8', () => {
      this.accepted += 1;
      onAccepted?.();
    });
  }

  private end(text: string): void {
    const { res } = this.options;
    if (res.closed || res.writableEnded) return;
    res.end(text);
    const late = setTimeout(() => res.destroy(), READ_END_MILLIS);
    res.once('close', () => clearTimeout(late));
  }
}

const bytes = new WeakMap<StreamFormat, WeakMap<ExecutionResult, Buffer>>();

/** Written as JSON once, and in memory once, however many clients receive the result. */
function bytesOf(format: StreamFormat, result: ExecutionResult): Buffer {
  const ofFormat = bytes.get(format) ?? new WeakMap<ExecutionResult, Buffer>();
  bytes.set(format, ofFormat);
  const made = ofFormat.get(result) ?? Buffer.from(format.result(JSON.stringify(result)));
  ofFormat.set(result, made);
  return made;
}
