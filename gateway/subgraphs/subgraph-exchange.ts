import type { Readable } from 'node:stream';
import type { Pool } from 'undici';
import type { Span } from '#server/observability/tracing.ts';
import { mayRetry } from '#server/http/may-retry.ts';
import { ClientLeftError, type WaitingClient } from '../context/waiting-client.ts';
import type { Droppable } from '../tuned-for-v8/droppable.ts';
import type { TimeLimit } from '../tuned-for-v8/time-limit.ts';
import { AnswerReader, TimeLimitError, type AnswerReceiver, type RawAnswer } from './answer-reader.ts';
import type { ServiceBreaker } from './service-breaker.ts';

/**
 * `late`: not answered within the time limit. `retried`: failed, and was sent once more. `refused`: not sent, because the
 * breaker is open or too many requests wait. `aborted`: all waiting clients have left, or the client did not send its whole
 * upload.
 */
export type RequestOutcome = 'answered' | 'failed' | 'late' | 'retried' | 'refused' | 'aborted';

/** The class of a request to a subgraph in the metrics. */
export type RequestClass = 'query' | 'mutation' | 'upload';

/** The state that all requests to one subgraph share. */
export interface SubgraphEndpoint {
  readonly pool: Pool;
  /** Opens a new connection for each request. */
  readonly newConnections: Pool;
  readonly path: string;
  readonly breaker: ServiceBreaker;
  /** The maximum number of pending requests, including those that wait for a connection. */
  readonly maxPending: number;
  pending: number;
  /** How often a read is sent again. */
  readonly retries: number;
  /** Called for every request, for metrics. */
  onDone(outcome: RequestOutcome, kind: RequestClass, millis: number): void;
}

interface SubgraphExchangeOptions {
  readonly body: string | Readable;
  readonly headers: string[];
  /** The time limit from waiting for a connection to the last byte, retries included. */
  readonly timeLimit: TimeLimit;
  /**
   * Whether the request changes nothing at the subgraph. It is then sent again (`retries`) if its connection broke, or if the
   * server was just restarting. A write is sent again only if its connection was refused.
   */
  readonly isRead: boolean;
  readonly kind: RequestClass;
  /** Its span, which ends with the request. */
  readonly span: Span | undefined;
  /** Whether the caller's own stream failed or stopped, and not the subgraph. */
  readonly isCallersFault?: (error: Error) => boolean;
}

/** The request was not sent, because the breaker of the subgraph is open, or too many requests wait for it. */
export class RefusedError extends Error {
  readonly retryAfterMillis: number;

  constructor(retryAfterMillis: number) {
    super('the request was not sent');
    this.retryAfterMillis = retryAfterMillis;
  }
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024; // 64 MiB
/** Sent by proxies, and by servers that are starting or stopping: the same query may succeed a moment later. */
const TRANSIENT_STATUSES = new Set([502, 503, 504]);
/** `Retry-After` of a request that is refused because too many requests are pending. */
const CROWDED_RETRY_MILLIS = 1_000; // 1 s

/**
 * One request to a subgraph and its answer, with the breaker, the retry and the clients that wait for it.
 *
 * Written for speed: one object with callbacks and one promise. An async function for each of these steps would cost more
 * than the steps do (docs/performance.md, "Where the time goes"; `npm run bench -- "platform small"`).
 */
export class SubgraphExchange implements AnswerReceiver {
  /** Rejects with a RefusedError, TimeLimitError, ClientLeftError, or the error of the connection. */
  readonly answer: Promise<RawAnswer>;
  isOver = false;
  /** Called once, when the promise is about to be settled. */
  onOver: (() => void) | undefined;
  private readonly endpoint: SubgraphEndpoint;
  private readonly options: SubgraphExchangeOptions;
  private resolve!: (answer: RawAnswer) => void;
  private reject!: (error: Error) => void;
  private reader: AnswerReader | undefined;
  private retried = 0;
  private readonly startedAt = performance.now();
  private waiters = 0;
  /** Its `target` is undefined once the exchange is over. */
  readonly reference: Droppable<SubgraphExchange> = { target: this };

  /** Sends the request if the breaker allows it. */
  constructor(endpoint: SubgraphEndpoint, options: SubgraphExchangeOptions) {
    this.endpoint = endpoint;
    this.options = options;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const isCrowded = endpoint.pending >= endpoint.maxPending;
    endpoint.pending += 1;
    if (isCrowded) this.fail('refused', new RefusedError(CROWDED_RETRY_MILLIS));
    else if (endpoint.breaker.isOpen)
      this.fail('refused', new RefusedError(endpoint.breaker.retryAfterMillis));
    else this.send();
  }

  /** Adds a client that waits for the answer. Without a client there is nobody who can leave, so the exchange runs to its end. */
  addWaiter(client: WaitingClient | undefined): void {
    this.waiters += 1;
    client?.waitFor(this.reference);
  }

  /** If the last waiting client leaves, the request is aborted. */
  removeWaiter(): void {
    this.waiters -= 1;
    if (this.waiters === 0 && !this.isOver) this.reader?.abort(new ClientLeftError());
  }

  onAnswer(answer: RawAnswer): void {
    const { breaker } = this.endpoint;
    if (isFailure(answer)) breaker.failed();
    else breaker.succeeded();
    const { span } = this.options;
    if (span) span.set({ 'http.response.status_code': answer.status });
    this.end('answered', isFailure(answer) ? String(answer.status) : undefined);
    this.resolve(answer);
  }

  onFailure(error: Error): void {
    const { breaker } = this.endpoint;
    if (error instanceof ClientLeftError || this.options.isCallersFault?.(error))
      return this.fail('aborted', error);
    const isLate = error instanceof TimeLimitError;
    if (isLate) breaker.timedOut(this.options.timeLimit.millis);
    else breaker.failed();
    this.fail(isLate ? 'late' : 'failed', error);
  }

  retriesAfter(error: Error): boolean {
    return mayRetry(error, this.options.isRead) && this.retry();
  }

  retriesAfterStatus(status: number): boolean {
    return this.options.isRead && TRANSIENT_STATUSES.has(status) && this.retry();
  }

  private fail(outcome: RequestOutcome, error: Error): void {
    this.end(outcome, outcome);
    this.reject(error);
  }

  private end(outcome: RequestOutcome, errorType: string | undefined): void {
    this.isOver = true;
    this.reference.target = undefined;
    this.endpoint.pending -= 1;
    const { span, kind } = this.options;
    this.endpoint.onDone(outcome, kind, performance.now() - this.startedAt);
    if (span) endSpan(span, this.retried, errorType);
    this.onOver?.();
  }

  private send(): void {
    this.reader = new AnswerReader({ timeLimit: this.options.timeLimit, maxBytes: MAX_ANSWER_BYTES }, this);
    this.dispatch(this.endpoint.pool, this.reader);
  }

  /** @returns false if it cannot be sent again */
  private retry(): boolean {
    const { reader } = this;
    // A body that is a stream cannot be sent again, because it has been read, at least in part.
    if (this.retried >= this.maxRetries || !reader || typeof this.options.body !== 'string') return false;
    this.retried += 1;
    this.endpoint.onDone('retried', this.options.kind, 0);
    reader.restart();
    this.dispatch(this.endpoint.newConnections, reader);
    return true;
  }

  /** A write whose connection was refused is sent again once, because then nothing was sent. */
  private get maxRetries(): number {
    return this.options.isRead ? this.endpoint.retries : 1;
  }

  private dispatch(pool: Pool, reader: AnswerReader): void {
    const { body, headers } = this.options;
    pool.dispatch({ path: this.endpoint.path, method: 'POST', headers, body }, reader);
  }
}

function endSpan(span: Span, retried: number, errorType: string | undefined): void {
  if (retried > 0) span.set({ 'http.request.resend_count': retried });
  if (errorType) span.fail(errorType);
  span.end();
}

/** A 5xx that is not a GraphQL response: a proxy sent it, or a server that is starting or stopping. */
const isFailure = ({ status, text }: RawAnswer): boolean =>
  status >= 500 && !text.startsWith('{"errors"') && !text.startsWith('{"data"');
