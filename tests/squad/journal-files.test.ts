import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { uuidv7 } from '#server/ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { chats, messagesOf } from '../../subgraphs/squad/chat/chat.journal.ts';
import { squads } from '../../subgraphs/squad/squads/squad.journal.ts';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import { encode, parse } from '../../subgraphs/squad/storage/record-file.ts';
import { numbers } from './journals/kinds.ts';

/** How often a process is killed. `FILE_JOURNAL_KILLS=200 npm test -- tests/squad/journal-files.test.ts` is a long run. */
const KILLS = Number(process.env.FILE_JOURNAL_KILLS ?? 60);

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(os.tmpdir(), 'squad-journals-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));
const opened = () => new FileJournals({ folder, log: createLogger('squad', 'silent') });
const fileIn = async (kind: string): Promise<string> => {
  const names = await readdir(path.join(folder, kind), { recursive: true });
  return path.join(folder, kind, names.find((name) => name.endsWith('.jsonl')) as string);
};

describe('the store', () => {
  test('opens a file that is cut at any byte of its last record, and has every earlier record', async () => {
    const journals = opened();
    for (const n of [1, 2, 3]) await journals.of(numbers).change('a', () => [{ n }]);
    await journals.close();
    const file = await fileIn('numbers');
    const whole = await readFile(file);
    const lastStartsAt = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let length = lastStartsAt; length <= whole.length; length += 1) {
      await writeFile(file, whole.subarray(0, length));
      const again = opened();
      const expected = length === whole.length ? [1, 2, 3] : [1, 2];
      expect(await again.of(numbers).read('a')).toEqual(expected);
      await again.of(numbers).change('a', () => [{ n: 9 }]);
      await again.close();
      expect(await opened().of(numbers).read('a')).toEqual([...expected, 9]);
    }
  });

  test('reads the first records of a file that is cut off at any byte, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: fc.string({ unit: 'binary' }), n: fc.integer() })),
        fc.nat(),
        (records, cut) => {
          const bytes = encode(records);
          const kept = bytes.subarray(0, bytes.length === 0 ? 0 : cut % (bytes.length + 1));
          const found = parse(kept);
          expect(found.records).toEqual(records.slice(0, found.records.length));
          expect(found.length + found.cutBytes).toBe(kept.length);
        },
      ),
    );
  });

  test('uses the other records of a file whose middle is damaged, and stores a copy of the damaged file', async () => {
    const journals = opened();
    for (const n of [1, 2, 3]) await journals.of(numbers).change('a', () => [{ n }]);
    await journals.close();
    const file = await fileIn('numbers');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"n":2', '"n":7'));
    expect(await opened().of(numbers).read('a')).toEqual([1, 3]);
    expect((await readdir(path.dirname(file))).some((name) => name.includes('.damaged-'))).toBe(true);
  });

  test('has files of bounded size, with the newest records', async () => {
    const journals = opened();
    for (let n = 0; n < 3_000; n += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_one, i) => journals.of(numbers).change('a', () => [{ n: n + i }])),
      );
    await journals.close();
    expect((await stat(await fileIn('numbers'))).size).toBeLessThan(40_000);
    expect((await opened().of(numbers).read('a')).at(-1)).toBe(2_999);
  });

  test('refuses a change while the disk cannot be written, and accepts changes afterwards', async () => {
    const journals = opened();
    await journals.of(numbers).change('a', () => [{ n: 1 }]);
    const file = await fileIn('numbers');
    const bytes = await readFile(file);
    await rm(file);
    await mkdir(file); // The file cannot be written, because there is a folder with its name.
    await expect(journals.of(numbers).change('a', () => [{ n: 2 }])).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
    await rm(file, { recursive: true });
    await writeFile(file, bytes);
    expect(await journals.of(numbers).change('a', () => [{ n: 3 }])).toEqual([1, 3]);
  });

  test('removes a journal that has not changed for the `keepDays` of its kind', async () => {
    const journals = opened();
    await journals.of(numbers).change('a', () => [{ n: 1 }]);
    expect(await journals.sweep(numbers)).toBe(0);
    expect(await journals.sweep(numbers, Date.now() + 2 * 24 * 60 * 60 * 1000)).toBe(1);
    expect(await opened().of(numbers).read('a')).toEqual([]);
  });

  test(`loses no acknowledged message or revision when it is killed at ${KILLS} random moments`, async () => {
    const program = path.join(import.meta.dirname, 'programs/acknowledging-squad.ts');
    // The compile cache is filled first: otherwise a process would spend most of its short life on compilation.
    const env = { ...process.env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') };
    spawnSync(process.execPath, [program], { env });
    const killedOften = async (): Promise<number> => {
      const squadId = uuidv7();
      const messages: string[] = [];
      const revisions = new Map<string, number>();
      const kills = Math.ceil(KILLS / 2);
      for (let kill = 1; kill <= kills; kill += 1) {
        const child = spawn(process.execPath, [program, folder, squadId, uuidv7()], {
          env,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        // The process is killed at a random moment after a random number of acknowledgements, whatever the disk's speed.
        let missing = 1 + Math.floor(Math.random() * 30);
        const acknowledged = Promise.withResolvers<void>();
        let output = '';
        child.stdout.on('data', (bytes: Buffer) => {
          const text = bytes.toString('utf8');
          output += text;
          missing -= text.split('\n').length - 1;
          if (missing <= 0) acknowledged.resolve();
        });
        await acknowledged.promise;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        child.kill('SIGKILL');
        await once(child, 'close');
        for (const line of output.split('\n').slice(0, -1)) {
          const [what, first, second] = line.split(' ') as [string, string, string];
          if (what === 'message') messages.push(first);
          else revisions.set(second, Number(first));
        }
        if (kill % 10 === 0 || kill === kills) await expectKept(squadId, messages, revisions);
      }
      return messages.length;
    };
    const [one, other] = await Promise.all([killedOften(), killedOften()]);
    expect(one + other).toBeGreaterThan(5 * KILLS);
  });
});

/**
 * Checks that the last 4,000 acknowledged messages and the last 400 acknowledged events are stored. The store keeps
 * the last 5,000 messages and 500 events of a squad, among them also some that were not acknowledged.
 */
async function expectKept(
  squadId: string,
  messages: readonly string[],
  revisions: ReadonlyMap<string, number>,
): Promise<void> {
  const journals = opened();
  const present = new Set(messagesOf(await journals.of(chats).read(squadId)).map(({ id }) => id));
  expect(messages.slice(-4_000).filter((id) => !present.has(id))).toEqual([]);
  const squad = await journals.of(squads).read(squadId);
  const known = new Map(
    squad.status === 'NONE' ? [] : squad.eventIds.map(([key, revision]) => [key.split(' ')[1], revision]),
  );
  expect([...revisions].slice(-400).filter(([eventId, revision]) => known.get(eventId) !== revision)).toEqual(
    [],
  );
  expect(squad.status !== 'NONE' && squad.revision).toBeGreaterThanOrEqual(Math.max(...revisions.values()));
  await journals.close();
}
