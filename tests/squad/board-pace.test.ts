import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from '#server/observability/logger.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { newPace } from '../../subgraphs/squad/presence/board-listener.ts';
import { GymBoard } from '../../subgraphs/squad/presence/gym-board.ts';
import type { PresenceStatus } from '../../subgraphs/squad/presence/presence.shapes.ts';
import { OPEN_SIGHT, type Sight } from '../../subgraphs/squad/presence/visibility.ts';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';

/** The number of random worlds; `BOARD_WORLDS=5000` runs more. */
const WORLDS = Number(process.env.BOARD_WORLDS ?? 200);
const INTERVAL_MILLIS = 200;
const folder = await mkdtemp(path.join(os.tmpdir(), 'squad-board-'));

const START = Date.parse('2026-01-01T00:00:00Z');

beforeEach(() => void jest.useFakeTimers({ now: START }));
afterEach(() => void jest.useRealTimers());
const hub = new MemoryHub(
  { graceMillis: 2 ** 31 - 1 },
  new FileJournals({ folder, log: createLogger('squad', 'silent') }),
);
const clear = () => [...hub.onlineIn('gym')].forEach(({ userId }) => hub.withdraw(userId));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Step {
  /** Milliseconds since the previous step. */
  wait: number;
  userId: string;
  /** Undefined if the user is withdrawn. */
  status: PresenceStatus | undefined;
  activity: string | null;
}
/** A random case: the steps of the users of a gym, and what one listener may see of them. */
interface World {
  /** What the listener may see from the step `sightFrom` on. Until then nobody is blocked, and `blocked` is offline. */
  sight: Sight;
  sightFrom: number;
  delta: boolean;
  /** The number of other users who are online from the beginning. If the listener sees more than 100, updates are deltas. */
  crowd: number;
  /** The users whose steps the listener must not notice. */
  unseen: ReadonlySet<string>;
  steps: Step[];
}

function worldOf(seed: number): World {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
  for (let warm = 0; warm < 4; warm += 1) random(2);
  const blocked = new Set(random(2) === 0 ? ['blocked'] : []);
  const statuses: (PresenceStatus | undefined)[] = [
    'AVAILABLE',
    'WORKING_OUT',
    'INVISIBLE',
    'OFFLINE',
    undefined,
  ];
  const steps = Array.from({ length: 5 + random(30) }, () => {
    const userId = (['ann', 'bob', 'blocked', 'invisible'] as const)[random(4)] as string;
    const status =
      userId === 'invisible' ? (['INVISIBLE', 'OFFLINE'] as const)[random(2)] : statuses[random(5)];
    return {
      wait: [0, 1, 3, 7, 50, 190, 400][random(7)] as number,
      userId,
      status,
      activity: `a${random(3)}`,
    };
  });
  return {
    sight: blocked.size > 0 ? { hidden: blocked } : OPEN_SIGHT,
    delta: random(3) === 0,
    crowd: random(3) === 0 ? 98 + random(4) : 0,
    unseen: new Set(['invisible', ...blocked]),
    steps,
    sightFrom: random(2) === 0 ? 0 : random(steps.length),
  };
}

/** The updates that the listener gets, each with its time in milliseconds. */
function updatesOf({ sight, sightFrom, delta, crowd, unseen, steps }: World, withUnseen: boolean): string[] {
  const gymId = 'gym';
  let choice = 0;
  jest.setSystemTime(START);
  for (let index = 0; index < crowd; index += 1)
    hub.announce({ userId: `crowd ${index}`, gymId, status: 'AVAILABLE', choice: 0, activity: null });
  const board = new GymBoard(gymId, hub, INTERVAL_MILLIS);
  const delivered: string[] = [];
  // Another listener, who sees all users, must make no difference.
  board.listen({ delta: true, sight: OPEN_SIGHT, pace: newPace(), deliver: () => true }).snapshot();
  const { changeSight, snapshot } = board.listen({
    delta,
    sight: sightFrom === 0 ? sight : OPEN_SIGHT,
    pace: newPace(),
    deliver: (update) => delivered.push(`${Date.now()} ${JSON.stringify(update)}`) > 0,
  });
  snapshot();
  for (const [index, { wait, userId, status, activity }] of steps.entries()) {
    jest.advanceTimersByTime(wait);
    choice += 1;
    if (index > 0 && index === sightFrom) changeSight(sight);
    if (index < sightFrom && userId === 'blocked') continue;
    if (!withUnseen && unseen.has(userId)) continue;
    if (status) hub.announce({ userId, gymId, status, choice, activity });
    else hub.withdraw(userId);
  }
  jest.advanceTimersByTime(1_000);
  board.dispose();
  clear();
  return delivered;
}

test(`updates and their times are the same with and without steps of unseen users, in ${WORLDS} worlds`, () => {
  const seeds = Array.from({ length: WORLDS }, (_seed, index) => index + 1);
  const different = seeds.filter((seed) => {
    const world = worldOf(seed);
    return JSON.stringify(updatesOf(world, true)) !== JSON.stringify(updatesOf(world, false));
  });
  expect(different).toEqual([]);
});

test('the numbers of updates have no gap, and two updates are at least the interval apart', () => {
  const worlds = Array.from({ length: WORLDS }, (_world, index) =>
    updatesOf(worldOf(index + 1), true).map((text) => {
      const [time = '', ...rest] = text.split(' ');
      return { time: Number(time), seq: (JSON.parse(rest.join(' ')) as { seq: number }).seq };
    }),
  );
  for (const updates of worlds)
    expect(updates.map(({ seq }) => seq)).toEqual(updates.map((_update, index) => index + 2));
  const gaps = worlds.flatMap((updates) =>
    updates.slice(1).map(({ time }, index) => time - (updates[index]?.time ?? 0)),
  );
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(INTERVAL_MILLIS);
});

test('changes that lead back to the state of the last update make no update', () => {
  const board = new GymBoard('gym', hub, INTERVAL_MILLIS);
  const deliver = jest.fn(() => true);
  board.listen({ delta: false, sight: OPEN_SIGHT, pace: newPace(), deliver }).snapshot();
  hub.announce({ userId: 'ann', gymId: 'gym', status: 'AVAILABLE', choice: 1, activity: null });
  hub.announce({ userId: 'ann', gymId: 'gym', status: 'INVISIBLE', choice: 2, activity: null });
  jest.advanceTimersByTime(1_000);
  expect(deliver).not.toHaveBeenCalled();
  board.dispose();
  clear();
});

test('a client that is too slow for an update gets the whole list later, with the next number', () => {
  const board = new GymBoard('gym', hub, INTERVAL_MILLIS);
  const delivered: { seq: number; full: boolean }[] = [];
  let isSlow = true;
  const { snapshot } = board.listen({
    delta: true,
    sight: OPEN_SIGHT,
    pace: newPace(),
    deliver: ({ seq, full }) => !isSlow && delivered.push({ seq, full }) > 0,
  });
  snapshot();
  hub.announce({ userId: 'ann', gymId: 'gym', status: 'AVAILABLE', choice: 1, activity: null });
  jest.advanceTimersByTime(1_000);
  isSlow = false;
  jest.advanceTimersByTime(1_000);
  expect(delivered).toEqual([{ seq: 2, full: true }]);
  board.dispose();
  clear();
});

test('a listener gets no update before its first snapshot, which has number 1', () => {
  const board = new GymBoard('gym', hub, INTERVAL_MILLIS);
  const deliver = jest.fn(() => true);
  const { snapshot } = board.listen({ delta: true, sight: OPEN_SIGHT, pace: newPace(), deliver });
  hub.announce({ userId: 'ann', gymId: 'gym', status: 'AVAILABLE', choice: 1, activity: null });
  jest.advanceTimersByTime(1_000);
  expect(deliver).not.toHaveBeenCalled();
  expect(snapshot()).toMatchObject({ seq: 1, full: true, users: [{ userId: 'ann' }] });
  hub.announce({ userId: 'bob', gymId: 'gym', status: 'AVAILABLE', choice: 1, activity: null });
  jest.advanceTimersByTime(1_000);
  expect(deliver.mock.calls).toMatchObject([[{ seq: 2, full: false, users: [{ userId: 'bob' }] }]]);
  board.dispose();
  clear();
});
