import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import type { UserViewer } from '#server/auth/viewer.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { Messages } from '../../subgraphs/squad/chat/messages.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { Squads } from '../../subgraphs/squad/squads/squads.ts';
import { Upkeep } from '../../subgraphs/squad/squads/upkeep.ts';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import type { JournalKind, Journals } from '../../subgraphs/squad/storage/journal.ts';

const log = createLogger('squad', 'silent');
const folder = await mkdtemp(path.join(os.tmpdir(), 'squad-watch-'));
const journals = new FileJournals({ folder, log });
/**
 * An action that happens after a journal has got a new listener, and before the rule that watches continues. For a chat it
 * runs twice: the rule follows first the journal of the squad, and then that of the chat.
 */
let onFollowed: () => Promise<unknown> = async () => undefined;

const hub = new MemoryHub({ graceMillis: 1_000 }, {
  of: <State, Item extends object>(kind: JournalKind<State, Item>) => {
    const of = journals.of(kind);
    return {
      ...of,
      async follow(id: string, listener: (state: State) => void) {
        const following = await of.follow(id, listener);
        await onFollowed();
        return following;
      },
    };
  },
  listeners: 0,
  close: () => journals.close(),
} satisfies Journals);
const upkeep = new Upkeep(hub, { hostAwayMillis: 120_000, lobbyLifetimeMillis: 3_600_000 });
const viewer: UserViewer = {
  kind: 'user',
  userId: randomUUID(),
  role: 'MEMBER',
  gymId: randomUUID(),
  sessionId: randomUUID(),
  expiresAt: Date.now() + 3_600_000,
};
const unit = new UnitOfWork(undefined, viewer, log, NO_ORIGIN);
const platform = { routine: async () => undefined, exerciseModality: async () => null };
const squads = new Squads(unit, hub, platform, upkeep);
const messages = new Messages(unit, hub, { rateLimits: false });

let squadId: string;
beforeEach(async () => {
  onFollowed = async () => undefined;
  squadId = (await squads.create({})).id;
});
afterAll(async () => {
  await upkeep.dispose();
  await hub.dispose();
  await rm(folder, { recursive: true });
});

test.each([
  ['from the first message on', 0, ['before', 'number 1', 'number 2']],
  ['from now on', undefined, ['number 2']], // `number 1` is sent before the journal of the chat is followed
])(
  'watching a chat %s delivers each message that is sent after its journal is followed, once',
  async (_from, fromSeq, expected) => {
    await messages.send({ squadId, text: 'before' });
    let count = 0;
    onFollowed = () => messages.send({ squadId, text: `number ${(count += 1)}` });
    const delivered: string[] = [];
    const stop = await messages.watch(squadId, fromSeq, {
      deliver: ({ text }) => delivered.push(text),
      onEnd: () => delivered.push('end'),
    });
    expect(delivered).toEqual(expected);
    stop();
  },
);

test('watching a squad delivers changes that are made while the watch begins, once', async () => {
  onFollowed = () => squads.start({ squadId });
  const delivered: [number, string][] = [];
  const { session, stop } = await squads.watch(squadId, undefined, {
    deliver: ({ revision, status }) => delivered.push([revision, status]),
    onEnd: () => delivered.push([0, 'end']),
  });
  await squads.pause({ squadId });
  expect(delivered).toEqual([
    [session.revision + 1, 'ACTIVE'],
    [session.revision + 2, 'PAUSED'],
  ]);
  stop();
});
