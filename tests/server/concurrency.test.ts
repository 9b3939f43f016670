import { expect, it } from '@jest/globals';
import { atMost } from '#server/concurrency.ts';

it('at most the allowed number of tasks run at a time, in order, and a task is refused if too many wait', async () => {
  const slot = atMost(2, { waiting: 3 });
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  const works = gates.map((gate, index) =>
    slot(async () => {
      started.push(index);
      await gate.promise;
      if (index === 1) throw new Error('one fails');
      return index;
    }),
  );
  await expect(works[5]).rejects.toMatchObject({ code: 'SERVER_BUSY', status: 503, retryAfterSeconds: 2 });
  expect(started).toEqual([0, 1]);
  gates[1]?.resolve();
  await expect(works[1]).rejects.toThrow('one fails');
  for (const gate of gates) gate.resolve();
  expect(await Promise.all([works[0], works[2], works[3], works[4]])).toEqual([0, 2, 3, 4]);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});
