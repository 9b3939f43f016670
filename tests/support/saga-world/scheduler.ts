import type { Random } from '../graph-doubles/random.ts';

/** A worker on sagas; a crash ends it at its current gate. */
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
 * Decides what happens next, and when: everything that can happen between two steps of the engine waits at a gate until it
 * is chosen. The same seed makes the same choices. The simulated time passes only when the scheduler advances it.
 */
export class Scheduler {
  /**
   * The simulated time in milliseconds since 1970. It is in the past, so that everything is due by the clock of a database.
   */
  now = Date.parse('2020-01-01T00:00:00Z');
  readonly random: Random;
  private gates: Gate[] = [];
  private underWay = 0;

  constructor(random: Random) {
    this.random = random;
  }

  /** Resolves when the scheduler chooses it; never if the worker crashes first. */
  gate(worker: Worker): Promise<void> {
    return new Promise((open) => {
      if (worker.isAlive) this.gates.push({ worker, open });
    });
  }

  /** Runs work that takes real time, such as a statement; nothing else runs in the meantime. */
  async real<Result>(work: () => Promise<Result>): Promise<Result> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
    }
  }

  /** Resolves when every worker is at a gate, idle or dead. */
  async quiet(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.underWay > 0);
  }

  /** Lets one waiting step continue; false if none waits. */
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
