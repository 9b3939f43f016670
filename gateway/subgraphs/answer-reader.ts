import type { Dispatcher } from 'undici';
import { TimeLimited, type TimeLimit } from '../tuned-for-v8/time-limit.ts';

/** A subgraph's HTTP response. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** Whether it is a stored answer, because of an `Idempotency-Key`. */
  readonly isReplay: boolean;
}

/** Exactly one of `onAnswer` and `onFailure` is called, once. */
export interface AnswerReceiver {
  onAnswer(answer: RawAnswer): void;
  onFailure(error: Error): void;
  /** Whether the request is sent once more; the reader then reads the new answer within the same time limit. */
  retriesAfter(error: Error): boolean;
  retriesAfterStatus(status: number): boolean;
}

/** The answer did not arrive within the time limit. */
export class TimeLimitError extends Error {}

/**
 * Reads one answer within a size limit and a time limit, which includes the wait for a connection, the sending, and a
 * retry.
 *
 * Written for speed: it is a handler of undici's `dispatch`, without the streams of undici's `request`, which cost more
 * than the rest of a small fetch (docs/performance.md, "Where the time goes"; `npm run bench -- "platform small"`).
 */
export class AnswerReader extends TimeLimited implements Dispatcher.DispatchHandler {
  private readonly receiver: AnswerReceiver;
  private readonly maxBytes: number;
  private readonly timeLimit: TimeLimit;
  private controller: Dispatcher.DispatchController | undefined;
  private failure: Error | undefined;
  private status = 0;
  private isReplay = false;
  private bytes = 0;
  private first: Buffer | undefined;
  private further: Buffer[] | undefined;

  constructor({ timeLimit, maxBytes }: { timeLimit: TimeLimit; maxBytes: number }, receiver: AnswerReceiver) {
    super();
    this.maxBytes = maxBytes;
    this.receiver = receiver;
    this.timeLimit = timeLimit;
    timeLimit.begin(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The time limit ended while the request waited for a connection.
    if (this.failure) controller.abort(this.failure);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.status = status;
    this.isReplay = headers['idempotency-replayed'] === 'true';
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes)
      return this.giveUp(new Error(`its answer is longer than ${this.maxBytes} bytes`));
    if (!this.first) this.first = chunk;
    else (this.further ??= [this.first]).push(chunk);
  }

  onResponseEnd(): void {
    if (this.status >= 500 && !this.failure && this.receiver.retriesAfterStatus(this.status)) return;
    this.timeLimit.end(this);
    const text = this.further ? Buffer.concat(this.further).toString() : (this.first?.toString() ?? '');
    if (!this.failure) this.receiver.onAnswer({ status: this.status, text, isReplay: this.isReplay });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.failure && this.receiver.retriesAfter(error)) return;
    this.timeLimit.end(this);
    if (!this.failure) this.receiver.onFailure(error);
  }

  /** Forgets the answer so far, before the request is sent once more. */
  restart(): void {
    this.controller = undefined;
    this.status = 0;
    this.isReplay = false;
    this.bytes = 0;
    this.first = undefined;
    this.further = undefined;
  }

  onTimeout(): void {
    this.giveUp(new TimeLimitError());
  }

  /** The receiver no longer needs the answer. */
  abort(reason: Error): void {
    this.giveUp(reason);
  }

  private giveUp(reason: Error): void {
    this.timeLimit.end(this);
    if (this.failure) return;
    this.failure = reason;
    this.controller?.abort(reason);
    this.receiver.onFailure(reason);
  }
}
