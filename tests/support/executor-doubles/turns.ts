import { setImmediate } from 'node:timers/promises';
import { randomFrom } from '../graph-doubles/random.ts';

interface Waiting {
  readonly key: string;
  readonly turn: number;
  settle(): void;
}

/**
 * Settles promises one at a time, each after all work that the previous one has caused. The order depends on the seed
 * and the keys only, so that two executors that wait for the same promises get the same order of events.
 */
export class Turns {
  private readonly seed: string;
  private readonly waiting: Waiting[] = [];

  constructor(seed: string) {
    this.seed = seed;
  }

  /** A promise of what `settled` returns or throws. */
  later<Value>(key: string, settled: () => Value): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const settle = () => {
      try {
        resolve(settled());
      } catch (error) {
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- resolvers can reject with anything
        reject(error);
      }
    };
    promise.catch(() => undefined); // an executor may ignore the promise, if the list around it is already null
    this.waiting.push({ key, turn: randomFrom(`${this.seed}/turn/${key}`).below(1_000_000), settle });
    return promise;
  }

  /**
   * Settles promises until `result` is settled, and then the rest.
   * @throws if `result` is still open and nothing is left to settle
   */
  async until<Value>(result: Promise<Value> | Value): Promise<Value> {
    let isOver = false;
    const over = () => void (isOver = true);
    Promise.resolve(result).then(over, over);
    await setImmediate();
    while (!isOver) {
      const next = this.next();
      if (!next) throw new Error('The execution waits, but no promise is left to settle.');
      next.settle();
      await setImmediate();
    }
    for (let next = this.next(); next; next = this.next()) {
      next.settle();
      await setImmediate();
    }
    return result;
  }

  private next(): Waiting | undefined {
    const { waiting } = this;
    let first = 0;
    for (let at = 1; at < waiting.length; at += 1) {
      const [one, other] = [waiting[at], waiting[first]];
      if (one && other && (one.turn < other.turn || (one.turn === other.turn && one.key < other.key)))
        first = at;
    }
    return waiting.splice(first, 1)[0];
  }
}
