/** One instance of presence with simulated members, in a process of its own; `run.ts` starts it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '#server/observability/logger.ts';
import { RedisHub } from '../../subgraphs/squad/hub.redis.ts';
import type { BoardSubscription } from '../../subgraphs/squad/presence/board-listener.ts';
import { GymBoards } from '../../subgraphs/squad/presence/gym-boards.ts';
import { newPace } from '../../subgraphs/squad/presence/board-listener.ts';
import { FIRST_CHOICE } from '../../subgraphs/squad/presence/online-entry.ts';
import type { OnlineUsersUpdate } from '../../subgraphs/squad/presence/presence.shapes.ts';
import { OPEN_SIGHT } from '../../subgraphs/squad/presence/visibility.ts';
import type { Journals } from '../../subgraphs/squad/storage/journal.ts';
import { RedisConnections } from '../../subgraphs/squad/storage/redis-connections.ts';

export interface Task {
  redisUrl: string;
  /** This instance's members, by gym. */
  members: readonly (readonly [gymId: string, userIds: readonly string[]])[];
  eventsPerSecond: number;
  seconds: number;
}

export interface Result {
  events: number;
  /** Updates that listeners got. */
  updates: number;
  cpuMillis: number;
  heapBytes: number;
  /** Entries that this instance knows, also those of other instances. */
  known: number;
}

const ACTIVITIES = ['legs', 'back', 'chest', 'arms', 'core', 'cardio', 'stretching', 'rest'];
const SETTLE_MILLIS = 2_000; // 2 s

/** Presence reads and writes no journals. */
const noJournals = { listeners: 0, close: async () => undefined } as unknown as Journals;

process.once('message', (task: Task) => void run(task));

const heapBytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

async function run({ redisUrl, members, eventsPerSecond, seconds }: Task): Promise<void> {
  const log = createLogger('squad', 'warn');
  const connections = await RedisConnections.open({ redisUrl }, log);
  const hub = await RedisHub.start({ graceMillis: 30_000 }, noJournals, connections, log);
  const boards = new GymBoards(hub, 200);
  const before = heapBytes();
  const texts = new WeakMap<object, string>();
  let updates = 0;
  /** Makes the text of equal updates once, as the socket does. */
  const deliver = (update: OnlineUsersUpdate): boolean => {
    if (!texts.has(update.users)) texts.set(update.users, JSON.stringify(update));
    updates += 1;
    return true;
  };
  const users: (readonly [gymId: string, userId: string])[] = [];
  for (const [gymId, userIds] of members) {
    await hub.openGym(gymId);
    for (const userId of userIds) {
      hub.connect(userId, gymId);
      hub.announce({ userId, gymId, activity: 'warm-up', ...FIRST_CHOICE });
      const board: BoardSubscription = boards.listen(gymId, {
        delta: true,
        sight: OPEN_SIGHT,
        pace: newPace(),
        deliver,
      });
      board.snapshot();
      users.push([gymId, userId]);
    }
  }
  await sleep(SETTLE_MILLIS);
  const heap = heapBytes() - before;
  const known = members.reduce((sum, [gymId]) => sum + [...hub.onlineIn(gymId)].length, 0);
  process.send?.('ready');
  await new Promise((resolve) => process.once('message', resolve));
  const cpu = process.cpuUsage();
  updates = 0;
  const begunAt = performance.now();
  let events = 0;
  const due = (): number => ((performance.now() - begunAt) / 1_000) * eventsPerSecond;
  while (performance.now() - begunAt < seconds * 1_000) {
    for (; events < due(); events += 1) {
      const [gymId, userId] = users[Math.floor(Math.random() * users.length)]!;
      const activity = ACTIVITIES[Math.floor(Math.random() * ACTIVITIES.length)]!;
      hub.announce({ userId, gymId, activity, ...FIRST_CHOICE });
    }
    await sleep(2);
  }
  await sleep(300); // the updates of the last events
  const { user, system } = process.cpuUsage(cpu);
  const result: Result = { events, updates, cpuMillis: (user + system) / 1_000, heapBytes: heap, known };
  process.send?.(result, () => process.exit());
}
