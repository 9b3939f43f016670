import type { Readable } from 'node:stream';
import type { Pool } from 'undici';
import type { CircuitBreaker } from '#server/circuit-breaker.ts';
import { ClientLeftError, type WaitingClient } from '../context/waiting-client.ts';
import type { Droppable } from '../tuned-for-v8/droppable.ts';
import type { TimeLimit } from '../tuned-for-v8/time-limit.ts';
import { AnswerReader, TimeLimitError, type AnswerReceiver, type RawAnswer } from './answer-reader.ts';

/** `refused`: not sent, because the breaker is open or too many requests wait. `aborted`: all waiting clients have left. */
export type RequestOutcome = 'answered' | 'failed' | 'late' | 'retried' | 'refused' | 'aborted';

/** The state that all requests to one subgraph share. */
export interface SubgraphEndpoint {
  readonly pool: Pool;
  readonly path: string;
  readonly breaker: CircuitBreaker;
  /** The maximum number of pending requests, including those that wait for a connection. */
  readonly maxPending: number;
  pending: number;
  /** Called for every request, for metrics. */
  onDone(outcome: RequestOutcome): void;
}

interface SubgraphExchangeOptions {
  readonly body: string | Readable;
  readonly headers: string[];
  /** The time limit of one attempt, from waiting for a connection to the last byte. */
  readonly timeLimit: TimeLimit;
  /** Whether it is sent a second time if the connection broke, or if the server was just restarting. */
  readonly mayRetry: boolean;
  /** Whether a failure was the caller's and says nothing about the subgraph. */
  readonly isCallersFault?: () => boolean;
}

/** Not sent, because the subgraph failed repeatedly, or too many requests wait for it. */
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
  /** @throws RefusedError, TimeLimitError, ClientLeftError, or the error of the connection */
  readonly answer: Promise<RawAnswer>;
  isOver = false;
  /** Called once, when the promise is about to be settled. */
  onOver: (() => void) | undefined;
  private readonly endpoint: SubgraphEndpoint;
  private readonly options: SubgraphExchangeOptions;
  private resolve!: (answer: RawAnswer) => void;
  private reject!: (error: Error) => void;
  private reader: AnswerReader | undefined;
  private attemptsLeft: number;
  private waiters = 0;
  /** Its `target` is undefined once the exchange is over. */
  readonly reference: Droppable<SubgraphExchange> = { target: this };

  /** Sends the request if the breaker allows it. */
  constructor(endpoint: SubgraphEndpoint, options: SubgraphExchangeOptions) {
    this.endpoint = endpoint;
    this.options = options;
    this.attemptsLeft = options.mayRetry ? 2 : 1;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const isCrowded = endpoint.pending >= endpoint.maxPending;
    endpoint.pending += 1;
    if (isCrowded) this.fail('refused', new RefusedError(CROWDED_RETRY_MILLIS));
    else if (endpoint.breaker.tryAcquire()) this.send();
    else this.fail('refused', new RefusedError(endpoint.breaker.retryAfterMillis));
  }

  /** Without a client the exchange runs to its end. */
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
    const isFailed = isFailure(answer);
    if (isFailed && TRANSIENT_STATUSES.has(answer.status) && this.mayRetry) return this.retry();
    if (isFailed) breaker.failed();
    else breaker.succeeded();
    this.end('answered');
    this.resolve(answer);
  }

  onFailure(error: Error): void {
    const { breaker } = this.endpoint;
    if (error instanceof ClientLeftError) {
      breaker.undecided();
      return this.fail('aborted', error);
    }
    // One caller's slow query says nothing about the queries of others.
    const isLate = error instanceof TimeLimitError;
    if (!isLate && this.mayRetry) return this.retry();
    if (isLate || this.options.isCallersFault?.()) breaker.undecided();
    else breaker.failed();
    this.fail(isLate ? 'late' : 'failed', error);
  }

  private fail(outcome: RequestOutcome, error: Error): void {
    this.end(outcome);
    this.reject(error);
  }

  private end(outcome: RequestOutcome): void {
    this.isOver = true;
    this.reference.target = undefined;
    this.endpoint.pending -= 1;
    this.endpoint.onDone(outcome);
    this.onOver?.();
  }

  private get mayRetry(): boolean {
    return this.attemptsLeft > 0;
  }

  private retry(): void {
    this.endpoint.onDone('retried');
    this.send();
  }

  private send(): void {
    const { pool, path } = this.endpoint;
    const { body, headers, timeLimit } = this.options;
    this.attemptsLeft -= 1;
    this.reader = new AnswerReader({ timeLimit, maxBytes: MAX_ANSWER_BYTES }, this);
    pool.dispatch({ path, method: 'POST', headers, body }, this.reader);
  }
}

/** A 5xx that is not a GraphQL response: a proxy sent it, or a server that is starting or stopping. */
const isFailure = ({ status, text }: RawAnswer): boolean =>
  status >= 500 && !text.startsWith('{"errors"') && !text.startsWith('{"data"');
