import type { Readable } from 'node:stream';
import type { Pool } from 'undici';
import type { CircuitBreaker } from '#server/circuit-breaker.ts';
import { AnswerReader, TimeLimitError, type AnswerReceiver, type RawAnswer } from './answer-reader.ts';
import { ClientLeftError, type AwaitedCall, type WaitingClient } from '../context/waiting-client.ts';
import type { TimeLimit } from '../hot-path/time-limit.ts';

/** `refused`: not sent, because the breaker is open or too many wait. `aborted`: nobody waits for the answer any more. */
export type RequestOutcome = 'answered' | 'failed' | 'late' | 'retried' | 'refused' | 'aborted';

/** What all requests to one subgraph have in common. */
export interface SubgraphEndpoint {
  readonly pool: Pool;
  readonly path: string;
  readonly breaker: CircuitBreaker;
  /** Most requests under way at once, those that wait for a connection included. */
  readonly maxUnderWay: number;
  /** Requests under way now. */
  underWay: number;
  /** Called for every request: for metrics. */
  onDone(outcome: RequestOutcome): void;
}

export interface SubgraphExchangeOptions {
  readonly body: string | Readable;
  readonly headers: string[];
  /** For one try, from asking for a connection to the last byte. */
  readonly timeLimit: TimeLimit;
  /** Whether it is sent once more if its connection broke, or if it met a server that is just restarting. */
  readonly mayRetry: boolean;
  /** Whether a failure says nothing of the subgraph. */
  readonly isCallersFault?: () => boolean;
}

/** Not sent: the subgraph failed too often of late, or too many requests wait for it. */
export class RefusedError extends Error {
  readonly waitMillis: number;

  constructor(waitMillis: number) {
    super('the request was not sent');
    this.waitMillis = waitMillis;
  }
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024; // 64 MiB
/** Answers of proxies and of servers that are starting or stopping: the same query may go well a moment later. */
const TRANSIENT_STATUSES = new Set([502, 503, 504]);
/** When a request that found too many before it may be sent again. */
const CROWDED_WAIT_MILLIS = 1_000; // 1 s

/**
 * One request and its answer, with what is decided around them: whether it is sent at all, whether once more, and what
 * the breaker learns from it. An object with callbacks, because a promise for each of these steps costs more than they do.
 */
export class SubgraphExchange implements AnswerReceiver {
  /** @throws RefusedError, TimeLimitError, ClientLeftError, or whatever else went wrong */
  readonly answer: Promise<RawAnswer>;
  isOver = false;
  /** Called once, when the answer is there or will not come. */
  onOver: (() => void) | undefined;
  private readonly endpoint: SubgraphEndpoint;
  private readonly options: SubgraphExchangeOptions;
  private resolve!: (answer: RawAnswer) => void;
  private reject!: (error: Error) => void;
  private reader: AnswerReader | undefined;
  private triesLeft: number;
  private waiting = 0;
  private readonly awaited: AwaitedCall = { call: this };

  /** Sends it, if the breaker allows. */
  constructor(endpoint: SubgraphEndpoint, options: SubgraphExchangeOptions) {
    this.endpoint = endpoint;
    this.options = options;
    this.triesLeft = options.mayRetry ? 2 : 1;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const waitMillis =
      endpoint.underWay >= endpoint.maxUnderWay ? CROWDED_WAIT_MILLIS : endpoint.breaker.waitMillis();
    endpoint.underWay += 1;
    if (waitMillis === 0) this.send();
    else this.fail('refused', new RefusedError(waitMillis));
  }

  /** One more waits for the answer. Without a client it is waited for to its end. */
  addWaiter(client: WaitingClient | undefined): void {
    this.waiting += 1;
    client?.waitsFor(this.awaited);
  }

  /** One of those who wait for the answer has left. */
  leave(): void {
    this.waiting -= 1;
    if (this.waiting === 0 && !this.isOver) this.reader?.abort(new ClientLeftError());
  }

  answered(answer: RawAnswer): void {
    const { breaker } = this.endpoint;
    const isFailed = isFailure(answer);
    if (isFailed && TRANSIENT_STATUSES.has(answer.status) && this.retry()) return;
    if (isFailed) breaker.failed();
    else breaker.succeeded();
    this.end('answered');
    this.resolve(answer);
  }

  failed(error: Error): void {
    const { breaker } = this.endpoint;
    if (error instanceof ClientLeftError) {
      breaker.undecided();
      return this.fail('aborted', error);
    }
    // A slow query of one caller says nothing about the others' queries.
    const isLate = error instanceof TimeLimitError;
    if (!isLate && this.retry()) return;
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
    this.awaited.call = undefined;
    this.endpoint.underWay -= 1;
    this.endpoint.onDone(outcome);
    this.onOver?.();
  }

  private retry(): boolean {
    if (this.triesLeft === 0) return false;
    this.endpoint.onDone('retried');
    this.send();
    return true;
  }

  private send(): void {
    const { pool, path } = this.endpoint;
    const { body, headers, timeLimit } = this.options;
    this.triesLeft -= 1;
    this.reader = new AnswerReader({ timeLimit, maxBytes: MAX_ANSWER_BYTES }, this);
    pool.dispatch({ path, method: 'POST', headers, body }, this.reader);
  }
}

/** A 5xx that is no GraphQL answer: of a proxy, or of a server that is not itself. */
const isFailure = ({ status, text }: RawAnswer): boolean =>
  status >= 500 && !text.startsWith('{"errors"') && !text.startsWith('{"data"');
