import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eraseUser } from '../../subgraphs/squad/accounts/erase-user.ts';
import { chats, messagesOf } from '../../subgraphs/squad/chat/chat.journal.ts';
import { reports } from '../../subgraphs/squad/chat/report.journal.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { squads } from '../../subgraphs/squad/squads/squad.journal.ts';
import { users } from '../../subgraphs/squad/users/user.journal.ts';
import { databaseStore, fileStore, type Store } from './journals/stores.ts';

const reportOf = (text: string, createdAt: string) => ({
  squadId: randomUUID(),
  messageId: randomUUID(),
  reporterId: randomUUID(),
  authorId: randomUUID(),
  text,
  reason: null,
  createdAt,
});

describe.each([
  ['files', fileStore],
  ['PostgreSQL', () => databaseStore([undefined])],
] as const)('a user who is erased from journals in %s', (_name, open) => {
  let store: Store;
  beforeAll(async () => void (store = await open()));
  afterAll(() => store?.close());

  const [journals, hub] = [
    () => store.instances[0]!,
    () => new MemoryHub({ graceMillis: 1_000 }, store.instances[0]!),
  ];
  const at = new Date().toISOString();
  const send = (squadId: string, userId: string, text: string) =>
    journals()
      .of(chats)
      .change(squadId, ({ seq }) => [
        {
          type: 'message',
          message: { id: randomUUID(), squadId, userId, text, clientId: null, seq: seq + 1, sentAt: at },
        },
      ]);
  const enter = (userId: string, squadId: string, gymId: string) =>
    journals()
      .of(users)
      .change(userId, () => [{ type: 'entered', squadId, gymId }]);

  test('has no message left in the chat of a squad whose journal does not exist any more', async () => {
    const [userId, other, squadId, gymId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await enter(userId, squadId, gymId);
    await send(squadId, userId, 'secret');
    await send(squadId, other, 'stays');
    await eraseUser(hub(), userId);
    expect(messagesOf(await journals().of(chats).read(squadId)).map(({ text }) => text)).toEqual(['stays']);
    const stored = await store.stored('chats', squadId);
    expect(stored).not.toContain('secret');
    expect(stored).not.toContain(userId);
    expect(await journals().of(squads).read(squadId)).toEqual({ status: 'NONE' });
    expect(await store.stored('squads', squadId)).toBe('');
  });

  test('has no message left after a crash between the rewriting of the squad and that of its chat', async () => {
    const [userId, squadId, gymId] = [randomUUID(), randomUUID(), randomUUID()];
    await journals()
      .of(squads)
      .change(squadId, () => [
        { type: 'created', id: squadId, gymId, hostId: userId, routineId: null, routineVersion: null, at },
      ]);
    await enter(userId, squadId, gymId);
    await send(squadId, userId, 'secret');
    // What the erasure has written before the crash: the user was the only participant.
    await journals()
      .of(squads)
      .rewrite(squadId, () => ({ status: 'NONE' }));
    await eraseUser(hub(), userId);
    expect(await store.stored('chats', squadId)).not.toContain('secret');
  });

  test('has no report left that the gym no longer lists, but still has in its records', async () => {
    const [userId, authorId, gymId] = [randomUUID(), randomUUID(), randomUUID()];
    await enter(userId, randomUUID(), gymId);
    const reported = (report: Partial<ReturnType<typeof reportOf>>, text: string, createdAt: string) =>
      journals()
        .of(reports)
        .change(gymId, () => [{ type: 'reported', report: { ...reportOf(text, createdAt), ...report } }]);
    await reported({ reporterId: userId, authorId }, 'secret', '2020-01-01T00:00:00.000Z');
    await reported({ authorId }, 'stays', at);
    expect((await journals().of(reports).read(gymId)).reports.map(({ text }) => text)).toEqual(['stays']);
    await eraseUser(hub(), userId);
    const stored = await store.stored('reports', gymId);
    expect(stored).not.toContain('secret');
    expect(stored).toContain('stays');
  });

  test('does not keep the reports of others longer than 90 days', async () => {
    const [userId, gymId] = [randomUUID(), randomUUID()];
    await enter(userId, randomUUID(), gymId);
    const [old, kept] = [reportOf('old', '2020-01-01T00:00:00.000Z'), reportOf('kept', at)];
    await journals()
      .of(reports)
      .rewrite(gymId, () => ({ reports: [old, kept] }));
    await eraseUser(hub(), userId);
    expect((await journals().of(reports).read(gymId)).reports).toEqual([kept]);
  });
});
