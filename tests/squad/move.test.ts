import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chats, messagesOf } from '../../subgraphs/squad/chat/chat.journal.ts';
import { moveJournals } from '../../subgraphs/squad/move/move-journals.ts';
import { databasePlace, filePlace } from '../../subgraphs/squad/move/places.ts';
import { runMove } from '../../subgraphs/squad/move/run.ts';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import type { Journals } from '../../subgraphs/squad/storage/journal.ts';
import { squads } from '../../subgraphs/squad/squads/squad.journal.ts';
import { users } from '../../subgraphs/squad/users/user.journal.ts';
import { hasRedis, startRedis } from '../support/redis.ts';
import { databaseStore, log, type DatabaseStore } from './journals/stores.ts';

let folder: string;
let store: DatabaseStore;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'squad-move-'));
  store = await databaseStore([undefined]);
});
afterAll(async () => {
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

const filesIn = (name: string) => new FileJournals({ folder: path.join(folder, name), log });
const message = (squadId: string, seq: number, text: string) => ({
  type: 'message' as const,
  message: {
    id: randomUUID(),
    squadId,
    userId: randomUUID(),
    text,
    clientId: null,
    seq,
    sentAt: new Date().toISOString(),
  },
});

test('journals are moved from files to the database and back with the times of their last change, and none is overwritten', async () => {
  const files = filesIn('one');
  const [squadId, userId] = [randomUUID(), randomUUID()];
  const texts = Array.from({ length: 700 }, (_one, n) => (n === 3 ? '\u0000 \ud800' : `message ${n}`));
  for (const [n, text] of texts.entries())
    await files.of(chats).change(squadId, () => [message(squadId, n + 1, text)]);
  await files.of(users).change(userId, () => [{ type: 'blocked', userId: squadId }]);
  const changedAt = new Date('2026-01-02T03:04:05Z');
  await files.setChangedAt('chats', squadId, changedAt);
  const inDatabase = databasePlace(store.orms[0]!);
  const lines: string[] = [];
  const move = () => moveJournals(filePlace(files), inDatabase, (line) => lines.push(line));
  expect(await move()).toEqual({ moved: 2, present: 0, different: [] });
  expect(await move()).toEqual({ moved: 0, present: 2, different: [] });
  const textsIn = async (journals: Journals) =>
    messagesOf(await journals.of(chats).read(squadId)).map(({ text }) => text);
  expect(await textsIn(store.instances[0]!)).toEqual(texts);
  expect((await store.instances[0]!.of(users).read(userId)).blocked).toEqual([squadId]);

  const back = filesIn('two');
  expect(await moveJournals(inDatabase, filePlace(back), () => undefined)).toEqual({
    moved: 2,
    present: 0,
    different: [],
  });
  expect(await textsIn(filesIn('two'))).toEqual(texts);
  const found = [];
  for await (const one of back.list('chats')) found.push(one);
  expect(found).toEqual([{ id: squadId, changedAt }]);

  await store.instances[0]!.of(users).change(userId, () => [{ type: 'blocked', userId: randomUUID() }]);
  expect(await move()).toEqual({ moved: 0, present: 1, different: [`users/${userId}`] });
  expect((await store.instances[0]!.of(users).read(userId)).blocked).toHaveLength(2);
});

test('a move into the database adds the jobs that the squads still need', async () => {
  const files = filesIn('due');
  const [id, hostId, exerciseId] = [randomUUID(), randomUUID(), randomUUID()];
  const at = new Date().toISOString();
  const created = {
    type: 'created',
    id,
    gymId: randomUUID(),
    hostId,
    routineId: null,
    routineVersion: null,
    at,
  } as const;
  const set = {
    exerciseIndex: 0,
    setIndex: 0,
    exerciseId,
    phase: 'REST',
    set: { reps: 5 },
    restEndsAt: null,
  } as const;
  await files
    .of(squads)
    .change(id, () => [
      created,
      { type: 'workout', userId: hostId, eventId: 'one', ...set, at },
      { type: 'status', status: 'ENDED', userId: hostId, at },
    ]);
  const [orm] = store.orms;
  await moveJournals(filePlace(files), databasePlace(orm!), () => undefined);
  const jobs = await orm!.em.fork().execute<unknown[]>(
    `select task.identifier as name, job.payload from graphile_worker._private_jobs as job
     join graphile_worker._private_tasks as task on task.id = job.task_id where job.payload->>'squadId' = ?`,
    [id],
  );
  expect(jobs).toEqual([{ name: 'write_squad_training', payload: { squadId: id, userId: hostId } }]);
});

(hasRedis ? describe : describe.skip)(
  `the command squad-move${hasRedis ? '' : ' (skipped: redis-server is not installed)'}`,
  () => {
    test('says what it does not move', async () => {
      const redis = await startRedis();
      const lines: string[] = [];
      const env = { DATA_DIR: path.join(folder, 'data'), REDIS_URL: redis.url, LOG_LEVEL: 'silent' };
      expect(await runMove(['redis', 'files'], env, (line) => lines.push(line))).toBe(0);
      expect(lines.at(-1)).toMatch(/^Answers to requests with an Idempotency-Key are not moved/);
      await redis.stop();
    });
  },
);
