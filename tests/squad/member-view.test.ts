import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from '#server/observability/logger.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { newPace } from '../../subgraphs/squad/presence/board-listener.ts';
import { GymBoard } from '../../subgraphs/squad/presence/gym-board.ts';
import { MemberView } from '../../subgraphs/squad/presence/member-view.ts';
import type { OnlineUsersUpdate, PresenceStatus } from '../../subgraphs/squad/presence/presence.shapes.ts';
import { OPEN_SIGHT, type Sight } from '../../subgraphs/squad/presence/visibility.ts';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import { randomOf } from './support/scheduler.ts';

/** The number of random worlds; `BOARD_WORLDS=5000` runs more. */
const WORLDS = Number(process.env.BOARD_WORLDS ?? 200);
const START = Date.parse('2026-01-01T00:00:00Z');
const folder = await mkdtemp(path.join(os.tmpdir(), 'squad-member-view-'));
const hub = new MemoryHub(
  { graceMillis: 2 ** 31 - 1 },
  new FileJournals({ folder, log: createLogger('squad', 'silent') }),
);

beforeEach(() => void jest.useFakeTimers({ now: START }));
afterEach(() => void jest.useRealTimers());
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Played {
  /** The updates that the member of the audience gets, each with its time in milliseconds. */
  member: string[];
  /** The updates, with their times, of a listener who sees the same users and does not belong to the audience. */
  own: string[];
  /** The reports in their order: `addressed` begins the member's own updates, `eligible` those of the audience. */
  decisions: string[];
}

const SIGHTS: readonly Sight[] = [
  OPEN_SIGHT,
  OPEN_SIGHT,
  { hidden: new Set(['bob']) },
  { hidden: new Set(['absent']) },
  { hidden: new Set(['bob', 'absent']) },
];

/**
 * One random case. A member of an audience (listeners who share updates) and a listener of their own may see the same
 * users at every moment.
 */
function play(seed: number): Played {
  const next = randomOf(seed);
  const random = (below: number): number => Math.floor(next() * below);
  const one = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  const announce = (userId: string, status: PresenceStatus, activity: string | null = null) =>
    hub.announce({ userId, gymId: 'gym', status, choice: (choice += 1), activity });
  let choice = 0;
  jest.setSystemTime(START);
  const crowd = random(3) === 0 ? 0 : 98 + random(4);
  for (let index = 0; index < crowd; index += 1) announce(`crowd ${index}`, 'AVAILABLE');
  const board = new GymBoard('gym', hub, 200);
  const played: Played = { member: [], own: [], decisions: [] };
  const note = (to: string[], { users, removed, full }: OnlineUsersUpdate): boolean =>
    to.push(`${Date.now()} ${JSON.stringify({ users, removed, full })}`) > 0;
  const listener = { delta: false, sight: OPEN_SIGHT };
  const audience = board.listen({
    ...listener,
    pace: newPace(),
    deliver: (update) => played.decisions.at(-1) !== 'eligible' || note(played.member, update),
  });
  const own = board.listen({ ...listener, pace: newPace(), deliver: (update) => note(played.own, update) });
  const view = new MemberView(audience, {
    report: (eligibility) => void played.decisions.push(eligibility),
    push: (update) => note(played.member, update),
  });
  audience.snapshot();
  own.snapshot();
  view.begin(OPEN_SIGHT);
  for (let step = 0; step < 40; step += 1) {
    jest.advanceTimersByTime(one([0, 1, 3, 7, 50, 190, 400]));
    const action = random(8);
    if (action < 3) {
      const sight = one(SIGHTS);
      own.changeSight(sight);
      view.changeSight(sight);
    } else if (action === 3) {
      // Another member has joined the audience, and needs the whole list.
      audience.refresh();
      own.refresh();
    } else if (action === 4) hub.withdraw('bob');
    else announce(one(['ann', 'bob']), one(['AVAILABLE', 'INVISIBLE', 'OFFLINE']), `a${random(3)}`);
  }
  jest.advanceTimersByTime(1_000);
  view.stop();
  audience.stop();
  own.stop();
  expect(board.size).toBe(0);
  board.dispose();
  [...hub.onlineIn('gym')].forEach(({ userId }) => hub.withdraw(userId));
  return played;
}

test(`a member of an audience gets the same updates as a listener of their own, in the same milliseconds, in ${WORLDS} worlds`, () => {
  const worlds = Array.from({ length: WORLDS }, (_world, index) => play(index + 1));
  const different = worlds.flatMap(({ member, own }, index) =>
    JSON.stringify(member) === JSON.stringify(own) ? [] : [index + 1],
  );
  expect(different).toEqual([]);
  const decisions = worlds.flatMap((world) => world.decisions);
  const count = (decision: string) => decisions.filter((taken) => taken === decision).length;
  expect(count('addressed')).toBeGreaterThan(WORLDS);
  expect(count('eligible')).toBeGreaterThan(WORLDS * 2);
});

test('the end of a block by an offline user makes no update, and the member gets the updates of the audience again at once', () => {
  const board = new GymBoard('gym', hub, 200);
  const audience = board.listen({ delta: false, sight: OPEN_SIGHT, pace: newPace(), deliver: () => true });
  const push = jest.fn(() => true);
  const decisions: string[] = [];
  const view = new MemberView(audience, { report: (decision) => void decisions.push(decision), push });
  audience.snapshot();
  view.begin(OPEN_SIGHT);
  view.changeSight({ hidden: new Set(['absent']) });
  jest.advanceTimersByTime(1_000);
  view.changeSight(OPEN_SIGHT);
  expect(decisions).toEqual(['eligible', 'addressed', 'eligible']);
  expect(push).not.toHaveBeenCalled();
  board.dispose();
});
