import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { FollowedGyms } from '../../subgraphs/squad/presence/followed-gyms.ts';

test('a gym that is dropped while its entries are read again leaves no entries', async () => {
  const gymId = randomUUID();
  const entries = new Set<string>();
  const reading = Promise.withResolvers<void>();
  let reads = 0;
  const gyms = new FollowedGyms(
    {
      subscribe: async () => () => undefined,
      async load(id) {
        if ((reads += 1) === 2) await reading.promise;
        entries.add(id);
      },
      isNeeded: () => false,
      forget: (id) => void entries.delete(id),
    },
    -1, // so that a gym is dropped as soon as nothing needs it
  );
  await gyms.open(gymId);
  gyms.reloadGym(gymId);
  gyms.tend();
  expect(gyms.has(gymId)).toBe(false);
  reading.resolve();
  await new Promise(setImmediate);
  expect([...entries]).toEqual([]);
  gyms.dispose();
});
