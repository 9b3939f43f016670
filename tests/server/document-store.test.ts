import { expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { documentStore } from '#server/graphql/document-store.ts';
import { createMetrics } from '#server/observability/metrics.ts';

const query = (number: number, fields: number) =>
  `{ ${Array.from({ length: fields }, (_, index) => `field${index}x${number}: title`).join(' ')} }`;

it("Apollo Server's parsed documents are bounded by their number and their memory, and the metrics show both", async () => {
  const store = documentStore();
  const has = async (number: number) => (await store.get(`${number}`)) !== undefined;
  for (let number = 0; number < 1_100; number += 1) await store.set(`${number}`, parse(query(number, 3)));
  expect([await has(99), await has(100), await has(1_099)]).toEqual([false, true, true]);
  // A document of 400 fields takes about 350 KB, so that 16 MiB contain about 45 of them.
  for (let number = 2_000; number < 2_100; number += 1)
    await store.set(`${number}`, parse(query(number, 400)));
  expect([await has(1_099), await has(2_050), await has(2_070)]).toEqual([false, false, true]);
  // The gauges add up all stores of the process.
  const { body } = await createMetrics('documents').text();
  expect(body).toMatch(/^cache_entries\{cache="parsed_documents"\} [1-9]/m);
  expect(body).toMatch(/^cache_bytes\{cache="parsed_documents"\} [1-9]/m);
});
