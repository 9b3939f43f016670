import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import type { UserViewer } from '#server/auth/viewer.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { Blocks } from '../../subgraphs/squad/blocks/blocks.ts';
import { Messages } from '../../subgraphs/squad/chat/messages.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { Invites } from '../../subgraphs/squad/invites/invites.ts';
import type { InviteShape } from '../../subgraphs/squad/invites/invites.shapes.ts';
import { GymBoards } from '../../subgraphs/squad/presence/gym-boards.ts';
import { OnlineUsers } from '../../subgraphs/squad/presence/online-users.ts';
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
const boards = new GymBoards(hub, 10);
const gymId = randomUUID();
function rulesOf(userId: string) {
  const viewer: UserViewer = {
    kind: 'user',
    userId,
    role: 'MEMBER',
    gymId,
    sessionId: randomUUID(),
    expiresAt: Date.now() + 3_600_000,
  };
  const unit = new UnitOfWork(undefined, viewer, log, NO_ORIGIN);
  const platform = {
    isUserOfGym: async () => true,
    routine: async () => undefined,
    exerciseModality: async () => null,
  };
  const squadRules = new Squads(unit, hub, platform, upkeep);
  const settings = { squadInviteLifetimeMillis: 600_000, rateLimits: false };
  return {
    squads: squadRules,
    messages: new Messages(unit, hub, settings),
    invites: new Invites(unit, hub, squadRules, platform, settings),
    blocks: new Blocks(unit, hub),
    onlineUsers: new OnlineUsers(unit, hub, boards),
  };
}
let maya: string;
let squads: Squads;
let messages: Messages;
let squadId: string;
beforeEach(async () => {
  maya = randomUUID();
  ({ squads, messages } = rulesOf(maya));
  onFollowed = async () => undefined;
  squadId = (await squads.create({})).id;
});
afterAll(async () => {
  await upkeep.dispose();
  boards.dispose();
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

test('watching the online users does not show a user who blocks the viewer while the watch begins', async () => {
  const leo = randomUUID();
  await rulesOf(leo).onlineUsers.goOnline({});
  onFollowed = () => rulesOf(leo).blocks.block(maya);
  const { snapshot, stop } = await rulesOf(maya).onlineUsers.watch({ deliver: () => true });
  expect(snapshot().users.map(({ userId }) => userId)).not.toContain(leo);
  stop();
});

test('watching invites reports neither an invite that is revoked while the watch begins, nor one twice that is sent then', async () => {
  const leo = randomUUID();
  const { invites } = rulesOf(maya);
  const revoked = await invites.send({ toUserId: leo, squadId });
  const other = (await squads.create({})).id;
  let sentId = '';
  onFollowed = async () => {
    await invites.revoke(revoked.id);
    sentId = (await invites.send({ toUserId: leo, squadId: other })).id;
  };
  const reported: [string, string][] = [];
  const report = ({ id, status }: InviteShape) => void reported.push([id, status]);
  const stop = await rulesOf(leo).invites.watch({ onReceived: report, onUpdated: report });
  await invites.revoke(sentId);
  expect(reported).toEqual([
    [sentId, 'PENDING'],
    [sentId, 'REVOKED'],
  ]);
  stop();
});
