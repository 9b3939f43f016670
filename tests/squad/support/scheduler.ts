import type { JournalKind, Journals, JournalsOf } from '../../../subgraphs/squad/storage/journal.ts';

/** A source of random numbers from 0 to below 1, equal for equal seeds (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs several actors at once. Before each journal step its random numbers decide which actor makes its next step. Between
 * two steps of one actor any number of steps of the others may run, as with requests at one or several instances.
 */
export class Scheduler {
  /** The steps in the order in which they were made, as `<actor> <step>`. Their number is the clock. */
  readonly steps: string[] = [];
  private readonly random: () => number;
  private readonly waiting: { actor: string; step: string; go(): void }[] = [];
  private running = 0;

  constructor(random: () => number) {
    this.random = random;
  }

  get now(): number {
    return this.steps.length;
  }

  /** The journals for one actor: each of its steps waits for its turn. */
  journalsOf(actor: string, journals: Journals): Journals {
    const step = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
      this.running -= 1;
      await new Promise<void>((go) => this.waiting.push({ actor, step: name, go }));
      return run();
    };
    return {
      of: <State, Item extends object>(kind: JournalKind<State, Item>): JournalsOf<State, Item> => {
        const of = journals.of(kind);
        return {
          read: (id) => step(`read ${kind.name}`, () => of.read(id)),
          change: (id, decide) => step(`change ${kind.name}`, () => of.change(id, decide)),
          rewrite: (id, change) => step(`rewrite ${kind.name}`, () => of.rewrite(id, change)),
          follow: (id, listener) => of.follow(id, listener),
        };
      },
      listeners: 0,
      close: async () => undefined,
    };
  }

  /** Resolves once all actors are done. An actor may await only journal steps, one at a time. */
  async run(actors: readonly (() => Promise<void>)[]): Promise<void> {
    this.running = actors.length;
    const failures: unknown[] = [];
    let left = actors.length;
    for (const actor of actors)
      void actor()
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          this.running -= 1;
          left -= 1;
        });
    while (left > 0) {
      await this.settled();
      const [next] = this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1);
      if (!next) continue;
      this.steps.push(`${next.actor} ${next.step}`);
      this.running += 1;
      next.go();
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Waits until every actor waits for its turn, or is done. */
  private async settled(): Promise<void> {
    while (this.running > 0) await new Promise(setImmediate);
  }
}
