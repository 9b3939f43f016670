import { expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { documentStore } from '#server/graphql/document-store.ts';
import { createMetrics } from '#server/observability/metrics.ts';

const query = (number: number, fields: number) =>
  `{ ${Array.from({ length: fields }, (_, index) => `field${index}x${number}: title`).join(' ')} }`;

it("Apollo Server's parsed documents are bounded by their number and their memory, and the metrics show both", async () => {
  const store = documentStore();
  const figure = async (name: string) => {
    const { body } = await createMetrics('documents').text();
    return Number(new RegExp(`^${name}\\{cache="parsed_documents"\\} (\\d+)$`, 'm').exec(body)?.[1]);
  };
  for (let number = 0; number < 1_100; number += 1) await store.set(`${number}`, parse(query(number, 3)));
  expect(await figure('cache_entries')).toBe(1_000);
  await expect(store.get('0')).resolves.toBeUndefined();
  await expect(store.get('1099')).resolves.toMatchObject({ kind: 'Document' });
  for (let number = 0; number < 100; number += 1) await store.set(`${number}`, parse(query(number, 400)));
  expect(await figure('cache_entries')).toBeLessThan(100);
  expect(await figure('cache_bytes')).toBeLessThanOrEqual(16 * 1024 * 1024);
});
