import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eraseUser } from '../../subgraphs/squad/accounts/erase-user.ts';
import { demo } from '../../subgraphs/squad/demo.ts';
import { gyms } from '../../subgraphs/squad/gyms/gym.journal.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { fileStore, type Store } from './journals/stores.ts';

let store: Store;
beforeAll(async () => void (store = await fileStore()));
afterAll(() => store?.close());

test('the gym does not name users of the demo data after their accounts are erased, whether they are in its club or not', async () => {
  const journals = store.instances[0]!;
  await demo(journals);
  const hub = new MemoryHub({ graceMillis: 1_000 }, journals);
  const gymId = DEMO_GYMS.ironTemple.id;
  const { activities } = await journals.of(gyms).read(gymId);
  const named = new Set(activities.flatMap(({ userIds }) => userIds));
  expect(named.size).toBeGreaterThan(2);
  for (const userId of named) await eraseUser(hub, userId);
  const stored = await store.stored('gyms', gymId);
  expect([...named].filter((userId) => stored.includes(userId))).toEqual([]);
});
