import type { Dispatcher } from 'undici';
import { TimeLimited, type TimeLimit } from '../hot-path/time-limit.ts';

/** What a subgraph answered, unread. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** Whether the subgraph gave again what it had answered before, because of an `Idempotency-Key`. */
  readonly isReplay: boolean;
}

/** Who waits for an answer. One of the two is called, once. */
export interface AnswerReceiver {
  answered(answer: RawAnswer): void;
  failed(error: Error): void;
}

/** The answer did not come in time. */
export class TimeLimitError extends Error {}

/**
 * Takes one answer off undici's dispatch, without the streams of its `request`, which cost more than the rest of a small
 * fetch. The time limit spans waiting for a connection, sending and receiving; size is limited too.
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
    // It waited for a connection longer than it may take.
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
    this.timeLimit.end(this);
    const text = this.further ? Buffer.concat(this.further).toString() : (this.first?.toString() ?? '');
    if (!this.failure) this.receiver.answered({ status: this.status, text, isReplay: this.isReplay });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.timeLimit.end(this);
    if (!this.failure) this.receiver.failed(error);
  }

  onTimeout(): void {
    this.giveUp(new TimeLimitError());
  }

  /** The receiver does not want the answer any more. */
  abort(reason: Error): void {
    this.giveUp(reason);
  }

  private giveUp(reason: Error): void {
    this.timeLimit.end(this);
    if (this.failure) return;
    this.failure = reason;
    this.controller?.abort(reason);
    this.receiver.failed(reason);
  }
}
