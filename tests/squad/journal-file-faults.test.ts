import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import { numbers } from './journals/kinds.ts';
import { log } from './journals/stores.ts';

const DAY_MILLIS = 24 * 60 * 60 * 1000;

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(os.tmpdir(), 'squad-faults-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));
const opened = (cacheSize?: number) => new FileJournals({ folder, log, ...(cacheSize && { cacheSize }) });

const fileOf = (id: string) => path.join(folder, 'numbers', id.slice(-2), `${id}.jsonl`);
const add = (journals: FileJournals, id: string, n: number) => journals.of(numbers).change(id, () => [{ n }]);

describe('the archive', () => {
  test('whose files cannot be read is read again by the next request, with every journal', async () => {
    const journals = opened();
    const [first, second, unknown] = [randomUUID(), randomUUID(), randomUUID()];
    for (const [id, gymId] of [
      [first, 'gym-1'],
      [second, 'gym-2'],
    ] as const) {
      await add(journals, id, 7);
      expect(await journals.retire(numbers, id, gymId)).toBe(true);
    }
    await journals.close();

    const names = await readdir(path.join(folder, 'ended', 'gym-2'));
    const index = path.join(folder, 'ended', 'gym-2', names.find((name) => name.endsWith('.index')) ?? '');
    const bytes = await readFile(index);
    await rm(index);
    await mkdir(index); // a folder cannot be read as a file
    const again = opened();
    for (const id of [first, unknown])
      await expect(again.of(numbers).read(id)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await expect(add(again, unknown, 1)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await expect(again.has('numbers', first)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });

    await rmdir(index);
    await writeFile(index, bytes);
    for (const reader of [again, opened()]) {
      expect(await reader.of(numbers).read(first)).toEqual([7]);
      expect(await reader.of(numbers).read(second)).toEqual([7]);
      expect(await reader.of(numbers).read(unknown)).toEqual([]);
    }
  });

  test('whose folder cannot be read does not count as empty', async () => {
    await writeFile(path.join(folder, 'ended'), ''); // a file cannot be read as a folder
    const journals = opened();
    const id = randomUUID();
    await expect(journals.of(numbers).read(id)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await rm(path.join(folder, 'ended'));
    expect(await journals.of(numbers).read(id)).toEqual([]);
  });
});

test('journals that are no longer used leave memory, also if many others are followed', async () => {
  const journals = opened(50);
  for (let n = 0; n < 30; n += 1) await journals.of(numbers).follow(randomUUID(), () => undefined);
  const id = randomUUID();
  await add(journals, id, 1);
  for (let n = 0; n < 200; n += 1) await journals.of(numbers).read(randomUUID());
  // The file is read again only if the journal has left memory.
  await rm(fileOf(id));
  expect(await journals.of(numbers).read(id)).toEqual([]);
  expect(journals.listeners).toBe(30);
});

describe('a journal whose file is damaged', () => {
  const copies = async (): Promise<string[]> =>
    (await readdir(path.join(folder, 'numbers'), { recursive: true })).filter((name) =>
      name.includes('.damaged-'),
    );
  /** The id of a journal with the numbers 1 to 3, in whose file the record of `n` was changed. */
  async function damaged(n: number): Promise<string> {
    const journals = opened();
    const id = randomUUID();
    for (const each of [1, 2, 3]) await add(journals, id, each);
    await journals.close();
    const text = await readFile(fileOf(id), 'utf8');
    await writeFile(fileOf(id), text.replace(`"n":${n}`, '"n":7'));
    return id;
  }

  test('is copied once, however often it is read afterwards', async () => {
    const id = await damaged(2);
    for (let start = 0; start < 3; start += 1) {
      const journals = opened();
      expect(await journals.of(numbers).read(id)).toEqual([1, 3]);
      await journals.close();
    }
    expect(await copies()).toHaveLength(1);
    const journals = opened();
    await add(journals, id, 4);
    await journals.close();
    expect(await opened().of(numbers).read(id)).toEqual([1, 3, 4]);
  });

  test('is copied also if its last record is the damaged one', async () => {
    const id = await damaged(3);
    expect(await opened().of(numbers).read(id)).toEqual([1, 2]);
    expect(await copies()).toHaveLength(1);
    expect(await readFile(path.join(folder, 'numbers', (await copies())[0] ?? ''), 'utf8')).toContain(
      '"n":7',
    );
  });

  test.each([
    ['read before', true],
    ['not read before', false],
  ])(
    'that was %s has no copy after an erasure, even if the records that are left contain nothing to erase',
    async (_when, isRead) => {
      const id = await damaged(2);
      const other = await damaged(2);
      const journals = opened();
      await journals.of(numbers).read(other);
      if (isRead) await journals.of(numbers).read(id);
      expect(await copies()).toHaveLength(isRead ? 2 : 1);
      const isErased = (n: number): boolean => n === 7;
      await journals
        .of(numbers)
        .rewrite(id, (list) => (list.some(isErased) ? list.filter((n) => !isErased(n)) : list));
      const left = await copies();
      expect(left).toHaveLength(1);
      expect(left[0]).toContain(other);
      expect(await journals.of(numbers).read(id)).toEqual([1, 3]);
    },
  );

  test('has no copy after the days for which its kind is kept', async () => {
    const id = await damaged(2);
    const journals = opened();
    await journals.of(numbers).read(id);
    await journals.sweep(numbers, Date.now() + 0.5 * DAY_MILLIS);
    expect(await copies()).toHaveLength(1);
    const { keepDays: _kept, ...kept } = numbers;
    await journals.sweep(kept, Date.now() + 89 * DAY_MILLIS);
    expect(await copies()).toHaveLength(1);
    await journals.sweep(kept, Date.now() + 91 * DAY_MILLIS);
    expect(await copies()).toEqual([]);
    expect(await opened().of(numbers).read(id)).toEqual([1, 3]);
  });
});
