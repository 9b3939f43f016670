import type { Readable } from 'node:stream';
import type { Pool } from 'undici';
import type { CircuitBreaker } from '#server/circuit-breaker.ts';
import { AnswerReader, TimeLimitError, type AnswerReceiver, type RawAnswer } from './answer-reader.ts';
import type { TimeLimit } from './time-limit.ts';

/** `refused`: not sent, as the breaker is open. */
export type RequestOutcome = 'answered' | 'failed' | 'late' | 'retried' | 'refused';

/** What all requests to one subgraph have in common. */
export interface Line {
  readonly pool: Pool;
  readonly path: string;
  readonly breaker: CircuitBreaker;
  /** Told of every request: for metrics. */
  onDone(outcome: RequestOutcome): void;
}

export interface ExchangeOptions {
  readonly body: string | Readable;
  readonly headers: string[];
  /** For one try, from asking for a connection to the last byte. */
  readonly timeLimit: TimeLimit;
  /** Whether it is sent once more where its connection broke, or where it met a server that is just restarting. */
  readonly twice: boolean;
  /** Whether a failure says nothing of the subgraph. */
  readonly isCallersFault?: () => boolean;
}

/** Not sent, as the subgraph failed too often of late. */
export class RefusedError extends Error {
  readonly waitMillis: number;

  constructor(waitMillis: number) {
    super('the breaker is open');
    this.waitMillis = waitMillis;
  }
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024; // 64 MiB
/** Answers of proxies and of servers that are starting or stopping: the same query may go well a moment later. */
const PASSING = new Set([502, 503, 504]);

/**
 * One request and its answer, with what is decided around them: whether it is sent at all, whether once more, and what
 * the breaker learns from it. An object with callbacks, because a promise for each of these steps costs more than they do.
 */
export class Exchange implements AnswerReceiver {
  private readonly line: Line;
  private readonly options: ExchangeOptions;
  private readonly resolve: (answer: RawAnswer) => void;
  private readonly reject: (error: Error) => void;
  private triesLeft: number;

  private constructor(
    line: Line,
    options: ExchangeOptions,
    resolve: (answer: RawAnswer) => void,
    reject: (error: Error) => void,
  ) {
    this.line = line;
    this.options = options;
    this.resolve = resolve;
    this.reject = reject;
    this.triesLeft = options.twice ? 2 : 1;
  }

  /** @throws RefusedError, TimeLimitError, or whatever else went wrong */
  static run(line: Line, options: ExchangeOptions): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const waitMillis = line.breaker.waitMillis();
      if (waitMillis === 0) return new Exchange(line, options, resolve, reject).send();
      line.onDone('refused');
      reject(new RefusedError(waitMillis));
    });
  }

  answered(answer: RawAnswer): void {
    const { breaker, onDone } = this.line;
    const failed = isFailure(answer);
    if (failed && this.sentAgain()) return;
    if (failed) breaker.failed();
    else breaker.succeeded();
    onDone('answered');
    this.resolve(answer);
  }

  failed(error: Error): void {
    const { breaker, onDone } = this.line;
    const isLate = error instanceof TimeLimitError;
    if (!isLate && this.sentAgain()) return;
    if (this.options.isCallersFault?.()) breaker.succeeded();
    else breaker.failed();
    onDone(isLate ? 'late' : 'failed');
    this.reject(error);
  }

  private sentAgain(): boolean {
    if (this.triesLeft === 0) return false;
    this.line.onDone('retried');
    this.send();
    return true;
  }

  private send(): void {
    const { pool, path } = this.line;
    const { body, headers, timeLimit } = this.options;
    this.triesLeft -= 1;
    pool.dispatch(
      { path, method: 'POST', headers, body },
      new AnswerReader({ timeLimit, maxBytes: MAX_ANSWER_BYTES }, this),
    );
  }
}

const isFailure = ({ status, text }: RawAnswer): boolean =>
  PASSING.has(status) && !text.startsWith('{"errors"') && !text.startsWith('{"data"');
