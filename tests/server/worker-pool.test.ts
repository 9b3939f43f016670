import { setTimeout } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { onThisMachine } from '../support/slow-machine.ts';
import { WorkerPool } from '#server/workers/worker-pool.ts';

interface Job {
  /** What the program of the test does: send the text back, throw it, end its helper, fill its heap, or never end. */
  readonly does: 'echo' | 'throw' | 'exit' | 'grow' | 'hang';
  readonly text: string;
}

const KINDS = ['thread', 'process'] as const;
const poolOf = (kind: (typeof KINDS)[number]) =>
  new WorkerPool<Job, string>(new URL('../support/programs/worker.ts', import.meta.url), {
    name: 'test',
    kind,
    mostHelpers: 1,
    waitingForEach: 3,
  });

it.each(KINDS)(
  'in a %s: jobs run in their order, and a job is refused at once if too many wait',
  async (kind) => {
    const pool = poolOf(kind);
    const done: string[] = [];
    const jobs = ['1', '2', '3', '4', '5'].map(async (text) => {
      await pool.run({ does: 'echo', text });
      done.push(text);
    });
    await expect(jobs[4]).rejects.toMatchObject({ code: 'SERVER_BUSY', status: 503, retryAfterSeconds: 2 });
    expect(done).toEqual([]);
    await Promise.all(jobs.slice(0, 4));
    expect(done).toEqual(['1', '2', '3', '4']);
    await expect(pool.run({ does: 'echo', text: 'again' })).resolves.toBe('again');
  },
);

it.each(KINDS)(
  'in a %s: a job that throws rejects with its message, and the next job still runs',
  async (kind) => {
    const pool = poolOf(kind);
    const failing = pool.run({ does: 'throw', text: 'not this one' });
    const next = pool.run({ does: 'echo', text: 'this one' });
    await expect(failing).rejects.toThrow('not this one');
    await expect(next).resolves.toBe('this one');
  },
);

it.each(KINDS)('in a %s: a helper that ends during a job is replaced', async (kind) => {
  const pool = poolOf(kind);
  const ended = pool.run({ does: 'exit', text: '' });
  const next = pool.run({ does: 'echo', text: 'by another one' });
  await expect(ended).rejects.toThrow('ended before its job');
  await expect(next).resolves.toBe('by another one');
});

it('only the process that exceeds its memory limit ends, and it is replaced', async () => {
  const pool = new WorkerPool<Job, string>(new URL('../support/programs/worker.ts', import.meta.url), {
    name: 'test',
    kind: 'process',
    mostHelpers: 1,
    waitingForEach: 3,
    maxHeapMib: 64,
  });
  const ended = pool.run({ does: 'grow', text: '' });
  const next = pool.run({ does: 'echo', text: 'by another one' });
  await expect(ended).rejects.toMatchObject({ isOutOfMemory: true });
  await expect(next).resolves.toBe('by another one');
});

it.each(KINDS)(
  'only the %s that exceeds the time limit of a job is ended, and it is replaced by another one',
  async (kind) => {
    const pool = new WorkerPool<Job, string>(new URL('../support/programs/worker.ts', import.meta.url), {
      name: 'test',
      kind,
      mostHelpers: 1,
      waitingForEach: 3,
      maxJobSeconds: onThisMachine(5_000) / 1_000,
    });
    const ended = pool.run({ does: 'hang', text: '' });
    const next = pool.run({ does: 'echo', text: 'by another one' });
    await expect(ended).rejects.toMatchObject({ isTooSlow: true, isOutOfMemory: false });
    await expect(next).resolves.toBe('by another one');
  },
);

it.each(KINDS)('in a %s: a helper that ends because it was idle gets no job while it ends', async (kind) => {
  const pool = new WorkerPool<Job, string>(new URL('../support/programs/worker.ts', import.meta.url), {
    name: 'test',
    kind,
    mostHelpers: 1,
    waitingForEach: 3,
    idleMillis: 1,
  });
  for (let round = 0; round < 5; round += 1) {
    await pool.run({ does: 'echo', text: 'first' });
    await setTimeout(2); // the helper is being ended now
    await expect(pool.run({ does: 'echo', text: 'second' })).resolves.toBe('second');
  }
});
