import { appendFileSync, writeFileSync } from 'node:fs';

/**
 * One request or frame. `status` is the HTTP status or that of the error's code; 0 if there was no answer. All times of the
 * history are in milliseconds since the beginning of the run.
 */
export interface Attempt {
  start: number;
  end: number;
  status: number;
  code?: string;
}

/**
 * Something that a client wanted, with all its attempts. `ok`: acknowledged. `refused`: nothing has changed. `unknown`: no
 * attempt got an answer that decides it, so it has happened once or not at all.
 */
export interface Operation<Value = unknown> {
  id: number;
  actor: string;
  kind: string;
  input: Record<string, unknown>;
  start: number;
  /** The time of the answer; absent while the operation runs. */
  end?: number;
  outcome: 'running' | 'ok' | 'refused' | 'unknown';
  attempts: Attempt[];
  /** What was acknowledged. */
  value?: Value;
  /** The code of the refusal. */
  code?: string;
}

/** A fault: from its beginning to its end, and to the moment when every replica was ready again. */
export interface FaultWindow {
  fault: string;
  start: number;
  end: number;
  recovered: number;
}

/** Everything that clients did and what was done to the cluster, in memory and as a file of JSON lines. */
export class History {
  readonly operations: Operation[] = [];
  readonly windows: FaultWindow[] = [];
  readonly file: string;
  private readonly startedAt = performance.now();

  constructor(file: string) {
    this.file = file;
    writeFileSync(file, '');
  }

  /** Milliseconds since the beginning of the run. */
  now(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  begin<Value>(actor: string, kind: string, input: Record<string, unknown>): Operation<Value> {
    const operation: Operation<Value> = {
      id: this.operations.length + 1,
      actor,
      kind,
      input,
      start: this.now(),
      outcome: 'running',
      attempts: [],
    };
    this.operations.push(operation);
    return operation;
  }

  finish(operation: Operation): void {
    operation.end = this.now();
    appendFileSync(this.file, `${JSON.stringify(operation)}\n`);
  }

  add(window: FaultWindow): void {
    this.windows.push(window);
    appendFileSync(this.file, `${JSON.stringify(window)}\n`);
  }

  of<Value = unknown>(...kinds: string[]): Operation<Value>[] {
    return this.operations.filter(({ kind }) => kinds.includes(kind)) as Operation<Value>[];
  }
}
