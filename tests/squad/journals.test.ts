import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Journals } from '../../subgraphs/squad/storage/journal.ts';
import { eventually } from '../support/eventually.ts';
import { entries, numbers } from './journals/kinds.ts';
import { stores, type Store } from './journals/stores.ts';

const isOpen = ({ name }: { name: string }): boolean => !name.startsWith('secret');

/** The number of random sequences of changes and rewritings for each store. */
const SEQUENCES = Number(process.env.JOURNAL_HISTORIES ?? 15);

describe.each(stores)('journals in %s', (_name, open) => {
  let store: Store;
  beforeAll(async () => void (store = await open()));
  afterAll(() => store?.close());
  const instanceOf = (n: number): Journals => store.instances[n % store.instances.length] as Journals;
  const first = (): Journals => store.instances[0] as Journals;
  const last = (): Journals => store.instances.at(-1) as Journals;

  test('simultaneous changes are decided one after the other, and listeners get each state in order', async () => {
    const id = randomUUID();
    const received = store.instances.map((): number[] => []);
    const following = await Promise.all(
      store.instances.map((journals, at) =>
        journals.of(numbers).follow(id, (list) => received[at]?.push(list.length)),
      ),
    );
    await Promise.all(
      Array.from({ length: 50 }, (_one, n) =>
        instanceOf(n)
          .of(numbers)
          .change(id, (list) => [{ n: list.length }]),
      ),
    );
    const expected = Array.from({ length: 50 }, (_one, n) => n);
    for (const journals of store.instances) expect(await journals.of(numbers).read(id)).toEqual(expected);
    await eventually(async () => received.every((lengths) => lengths.at(-1) === 50));
    for (const lengths of received) expect(lengths).toEqual(expected.map((n) => n + 1));
    for (const { stop } of following) stop();
    for (const journals of store.instances) expect(journals.listeners).toBe(0);
  });

  test('after any changes and rewritings all instances read each acknowledged record once, except erased ones', async () => {
    const step = fc.record({
      at: fc.nat(3),
      journal: fc.nat(1),
      count: fc.nat(3),
      erases: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      refuses: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 6 }), async (rounds) => {
        const ids = [randomUUID(), randomUUID()];
        const mistakes: string[] = [];
        const acknowledged = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
        const seen: { id: string; at: number; states: (readonly { name: string }[])[]; stop(): void }[] = [];
        for (const [at, journals] of store.instances.entries())
          for (const id of ids) {
            const states: (readonly { name: string }[])[] = [];
            const { stop } = await journals.of(entries).follow(id, (list) => void states.push(list));
            seen.push({ id, at, states, stop });
          }
        for (const round of rounds)
          await Promise.all(
            round.map(async ({ at, journal, count, erases, refuses }) => {
              const of = instanceOf(at).of(entries);
              const id = ids[journal] as string;
              if (erases) {
                const kept = await of.rewrite(id, (list) => list.filter(isOpen));
                if (!kept.every(isOpen)) mistakes.push('the state contains an erased record');
                return;
              }
              const names = Array.from(
                { length: count },
                (_one, n) => `${n === 0 ? 'secret' : 'open'} ${randomUUID()}`,
              );
              if (count === 0) return void (await of.read(id));
              const work = of.change(id, (list) => {
                if (refuses) throw new Error('refused');
                return names.map((name, n) => ({ name, before: list.length + n }));
              });
              const after = await work.catch((error: Error) => error.message);
              if (refuses !== (after === 'refused')) mistakes.push(`a refusal became ${typeof after}`);
              if (typeof after === 'string') return;
              const tail = after.slice(after.length - count).map(({ name }) => name);
              if (tail.join() !== names.join()) mistakes.push(`the state ends with ${tail.join()}`);
              names.forEach((name) => acknowledged.get(id)?.add(name));
            }),
          );
        expect(mistakes).toEqual([]);
        const fresh = await store.fresh();
        for (const id of ids) {
          const truth = await fresh.of(entries).read(id);
          const names = truth.map(({ name }) => name);
          expect(new Set(names).size).toBe(names.length);
          expect(names.every((name) => acknowledged.get(id)?.has(name))).toBe(true);
          const isErased = rounds.flat().some(({ erases, journal }) => erases && ids[journal] === id);
          const lost = [...(acknowledged.get(id) ?? [])].filter((name) => !names.includes(name));
          expect(lost.filter((name) => !isErased || name.startsWith('open'))).toEqual([]);
          const expected = truth.map((entry, n) => ({ ...entry, before: isErased ? entry.before : n }));
          expect(truth).toEqual(expected);
          for (const journals of store.instances) expect(await journals.of(entries).read(id)).toEqual(truth);
          for (const one of seen.filter((each) => each.id === id && truth.length > 0 && !isErased)) {
            await eventually(async () => one.states.at(-1)?.length === truth.length);
            for (const state of one.states) expect(state).toEqual(truth.slice(0, state.length));
            const lengths = one.states.map((state) => state.length);
            expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
          }
        }
        for (const { stop } of seen) stop();
      }),
      { numRuns: SEQUENCES },
    );
  });

  test('a long journal is shortened, and a new instance reads the entries that are kept', async () => {
    const id = randomUUID();
    for (let n = 0; n < 3_000; n += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_one, i) =>
          last()
            .of(numbers)
            .change(id, () => [{ n: n + i }]),
        ),
      );
    const state = await last().of(numbers).read(id);
    expect(state).toHaveLength(3_000);
    expect((await store.stored('numbers', id)).length).toBeLessThan(60_000);
    const again = await (await store.fresh()).of(numbers).read(id);
    expect(again.slice(-100)).toEqual(state.slice(-100));
    await first()
      .of(numbers)
      .change(id, () => [{ n: -1 }]);
    expect((await last().of(numbers).read(id)).slice(-2)).toEqual([2_999, -1]);
  });

  test('rewriting removes the erased records from storage, and keeps records that are written meanwhile', async () => {
    const id = randomUUID();
    const received: (readonly number[])[] = [];
    const { stop } = await last()
      .of(numbers)
      .follow(id, (list) => received.push(list));
    await first()
      .of(numbers)
      .rewrite(id, () => [777]); // The journal does not exist yet.
    const adding = (n: number) =>
      last()
        .of(numbers)
        .change(id, () => [{ n }]);
    const forgetting = () =>
      first()
        .of(numbers)
        .rewrite(id, (list) => list.filter((n) => n !== 777));
    await Promise.all([adding(1), adding(777), adding(2), forgetting(), adding(3), forgetting(), adding(4)]);
    await forgetting();
    const state = await first().of(numbers).read(id);
    expect(state.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    await eventually(async () => String(received.at(-1)) === String(state));
    expect(await store.stored('numbers', id)).not.toContain('777');
    await adding(5);
    stop();
    expect(await (await store.fresh()).of(numbers).read(id)).toEqual([...state, 5]);
  });

  test('a rewriting that returns the state itself writes nothing', async () => {
    const id = randomUUID();
    await first()
      .of(numbers)
      .rewrite(id, (list) => list);
    expect(await store.stored('numbers', id)).toBe('');
    for (const n of [1, 2])
      await last()
        .of(numbers)
        .change(id, () => [{ n }]);
    const before = await store.stored('numbers', id);
    expect(
      await first()
        .of(numbers)
        .rewrite(id, (list) => list),
    ).toEqual([1, 2]);
    expect(await store.stored('numbers', id)).toBe(before);
  });

  test('a listener that stops and starts again at once receives the writes of another instance', async () => {
    const id = randomUUID();
    let following = await first()
      .of(numbers)
      .follow(id, () => undefined);
    for (let n = 0; n < 30; n += 1) {
      following.stop();
      if (n % 3 === 1) await new Promise(setImmediate);
      if (n % 3 === 2) await sleep(1);
      const received = Promise.withResolvers<void>();
      following = await first()
        .of(numbers)
        .follow(id, (list) => list.includes(n) && received.resolve());
      await last()
        .of(numbers)
        .change(id, () => [{ n }]);
      await received.promise;
    }
    expect(await first().of(numbers).read(id)).toHaveLength(30);
    following.stop();
  });

  test('texts of any kind are read back unchanged', async () => {
    const id = randomUUID();
    const names = ['\u0000', '\ud800 half', 'a\nb', '"', '\\u0000', '😀', ''];
    await first()
      .of(entries)
      .change(id, () => names.map((name, before) => ({ name, before })));
    const read = await (await store.fresh()).of(entries).read(id);
    expect(read.map(({ name }) => name)).toEqual(names);
  });
});
