import type { Random } from '../graph-doubles/random.ts';

/** A program that works on sagas; a crash ends it at the gate where it is. */
export interface Worker {
  readonly id: number;
  isAlive: boolean;
  isIdle: boolean;
}

interface Gate {
  worker: Worker;
  open(): void;
}

/**
 * Decides what happens next, and when: everything that can come between two steps of the engine waits at a gate until
 * it is chosen. The same seed makes the same choices. Time passes only when it is told to.
 */
export class Scheduler {
  /** Milliseconds since 1970. Long ago, so that a database finds everything due. */
  now = Date.parse('2020-01-01T00:00:00Z');
  readonly random: Random;
  private gates: Gate[] = [];
  private underWay = 0;

  constructor(random: Random) {
    this.random = random;
  }

  /** Waits until it is chosen; for ever if the worker crashes first. */
  gate(worker: Worker): Promise<void> {
    return new Promise((open) => {
      if (worker.isAlive) this.gates.push({ worker, open });
    });
  }

  /** Runs what takes real time, such as a statement; nothing else happens meanwhile. */
  async real<Result>(work: () => Promise<Result>): Promise<Result> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
    }
  }

  /** Resolves when everybody is at a gate, idle or dead. */
  async quiet(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.underWay > 0);
  }

  /** Lets one of those that wait go on; false if nobody waits. */
  openOne(): boolean {
    if (this.gates.length === 0) return false;
    const [chosen] = this.gates.splice(this.random.below(this.gates.length), 1);
    chosen?.open();
    return true;
  }

  crash(worker: Worker): void {
    worker.isAlive = false;
    this.gates = this.gates.filter((gate) => gate.worker !== worker);
  }
}
