import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const DAYS = 13;
const ENTRIES_OF_DAY = 1_000;
/** In an export, a line with this name has more than 700 bytes. */
const NAME = '字'.repeat(200);

test('the graph refuses an export of more than 8 MiB and names what to do instead; REST and a shorter range work', async () => {
  const { token, id } = await platform.register();
  const dayOf = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
  const lines = Array.from(
    { length: DAYS * ENTRIES_OF_DAY },
    (_, index) => `${dayOf(index % DAYS)},${NAME},${Math.floor(index / DAYS)}\n`,
  );
  const imported = await platform.rest('nutrition', 'POST', '/log/import', {
    token,
    body: `localDate,foodName,calories\n${lines.join('')}`,
    headers: { 'Content-Type': 'text/csv' },
  });
  expect(imported.body).toMatchObject({ imported: lines.length, failed: 0 });

  const { body: csv } = await platform.rest('nutrition', 'GET', `/history/${id}/export.csv`, { token });
  expect(csv.trim().split('\n')).toHaveLength(1 + lines.length);
  expect(Buffer.byteLength(csv)).toBeGreaterThan(8 * 1024 * 1024);
  expect(csv.length).toBeLessThan(8 * 1024 * 1024); // so that only its bytes are too many

  const ofGraph = (range: { from?: string; to?: string }) =>
    platform.graph(
      'nutrition',
      `query ($id: ID!, $from: Date, $to: Date) {
        _entities(representations: [{ __typename: "User", id: $id }]) { ... on User { foodLogCsv(from: $from, to: $to) } }
      }`,
      { id, ...range },
      { token },
    );
  const { data, errors } = await ofGraph({});
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining(`GET /history/${id}/export.csv`),
      extensions: { code: 'PAYLOAD_TOO_LARGE', http: { status: 413 } },
    },
  ]);
  expect(data._entities[0].foodLogCsv).toBeNull();
  const half = await ofGraph({ to: dayOf(6) });
  expect(half.errors).toBeUndefined();
  expect(half.data._entities[0].foodLogCsv.trim().split('\n')).toHaveLength(1 + 7 * ENTRIES_OF_DAY);
});
