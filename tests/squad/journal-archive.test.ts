import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { archiveEnded } from '../../subgraphs/squad/archive-ended.ts';
import { chats, messagesOf } from '../../subgraphs/squad/chat/chat.journal.ts';
import { squads } from '../../subgraphs/squad/squads/squad.journal.ts';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import { log } from './journals/stores.ts';

const DAY_MILLIS = 24 * 60 * 60 * 1000;

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(os.tmpdir(), 'squad-archive-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));
const opened = () => new FileJournals({ folder, log });
const files = async (ending: string) =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ending)).toSorted();
const archiveFile = async () =>
  path.join(folder, (await files('.jsonl')).find((name) => name.startsWith('ended')) ?? '');

const gymId = randomUUID();
/** A squad with one message; it has ended if `isOver`. */
async function newSquad(journals: FileJournals, text: string, isOver = true): Promise<string> {
  const [id, userId] = [randomUUID(), randomUUID()];
  const at = new Date().toISOString();
  await journals
    .of(squads)
    .change(id, () => [
      { type: 'created', id, gymId, hostId: userId, routineId: null, routineVersion: null, at },
      ...(isOver ? ([{ type: 'status', status: 'ENDED', userId, at }, { type: 'recorded' }] as const) : []),
    ]);
  const message = { id: randomUUID(), squadId: id, userId, text, clientId: null, seq: 1, sentAt: at };
  await journals.of(chats).change(id, () => [{ type: 'message', message }]);
  return id;
}
const textsOf = async (journals: FileJournals, id: string) =>
  messagesOf(await journals.of(chats).read(id)).map(({ text }) => text);
const archiveAll = (journals: FileJournals) => archiveEnded(journals, new Date(Date.now() + 1_000));

test('ended squads and their chats are moved into one file for their gym and month, and can still be read', async () => {
  const journals = opened();
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) ids.push(await newSquad(journals, `text ${n}`));
  const open = await newSquad(journals, 'open', false);
  expect(await archiveEnded(journals, new Date(Date.now() - DAY_MILLIS))).toBe(0);
  expect(await archiveAll(journals)).toBe(30);
  const month = new Date().toISOString().slice(0, 7);
  expect((await files('.jsonl')).filter((name) => !name.includes(open))).toEqual([
    path.join('ended', gymId, `${month}.jsonl`),
  ]);
  await journals.close();
  for (const again of [journals, opened()]) {
    expect(await textsOf(again, ids[7] as string)).toEqual(['text 7']);
    expect(await again.of(squads).read(ids[29] as string)).toMatchObject({
      status: 'ENDED',
      isRecorded: true,
    });
    const listed: string[] = [];
    for await (const { id } of again.list('squads')) listed.push(id);
    expect(listed.toSorted()).toEqual([...ids, open].toSorted());
  }
});

test('a journal that changes leaves the archive, and nothing of what was erased stays there', async () => {
  const journals = opened();
  const [id, other] = [await newSquad(journals, 'secret'), await newSquad(journals, 'stays')];
  await archiveAll(journals);
  const again = opened();
  await again.of(chats).rewrite(id, (chat) => ({ ...chat, shared: [], length: 0 }));
  expect(await readFile(await archiveFile(), 'utf8')).not.toContain('secret');
  await again.close();
  for (const reader of [again, opened()]) {
    expect(await textsOf(reader, id)).toEqual([]);
    expect(await textsOf(reader, other)).toEqual(['stays']);
    expect((await reader.of(chats).read(id)).seq).toBe(1);
  }
  // Chats are moved only with their squads, and both squads are archived already.
  expect(await archiveAll(opened())).toBe(0);
});

test('a copy that an interrupted move has left in the archive is removed when the journal is read', async () => {
  const journals = opened();
  const id = await newSquad(journals, 'secret');
  const file = path.join(folder, (await files(`${id}.jsonl`)).find((name) => name.startsWith('chats')) ?? '');
  const bytes = await readFile(file);
  await archiveAll(journals);
  await writeFile(file, bytes); // the state if the process ends before it removes the file
  const again = opened();
  expect(await textsOf(again, id)).toEqual(['secret']);
  expect(await readFile(await archiveFile(), 'utf8')).not.toContain('secret');
  await again.of(chats).rewrite(id, (chat) => ({ ...chat, shared: [], length: 0 }));
  expect(await readFile(await archiveFile(), 'utf8')).not.toContain('secret');
});

test('the archive can be read after a write that was cut off at any of many lengths, and without its index', async () => {
  const journals = opened();
  const first = await newSquad(journals, 'first');
  await archiveAll(journals);
  const file = await archiveFile();
  const { size } = await stat(file);
  const second = await newSquad(journals, 'second');
  const [squadFile = '', chatFile = ''] = ['squads', 'chats'].map((kind) =>
    path.join(folder, kind, second.slice(-2), `${second}.jsonl`),
  );
  const kept = await Promise.all([readFile(squadFile), readFile(chatFile)]);
  await archiveAll(journals);
  const whole = await stat(file);
  for (let length = whole.size; length >= size; length -= 97) {
    await truncate(file, length);
    await Promise.all([writeFile(squadFile, kept[0] as Buffer), writeFile(chatFile, kept[1] as Buffer)]);
    const again = opened();
    expect(await textsOf(again, first)).toEqual(['first']);
    expect(await textsOf(again, second)).toEqual(['second']);
    await again.close();
  }
  await rm(`${file}.index`);
  await archiveAll(opened());
  expect(await textsOf(opened(), first)).toEqual(['first']);
  expect(await textsOf(opened(), second)).toEqual(['second']);
});

test('archived journals are removed after the days for which their kind is kept; the file is removed with its last journal', async () => {
  const journals = opened();
  const id = await newSquad(journals, 'old');
  await archiveAll(journals);
  expect(await journals.sweep(squads, Date.now() + 89 * DAY_MILLIS)).toBe(0);
  expect(await journals.sweep(squads, Date.now() + 91 * DAY_MILLIS)).toBe(1);
  expect(await journals.of(squads).read(id)).toEqual({ status: 'NONE' });
  expect(await textsOf(journals, id)).toEqual(['old']);
  expect(await journals.sweep(chats, Date.now() + 91 * DAY_MILLIS)).toBe(1);
  expect(await files('.jsonl')).toEqual([]);
});
