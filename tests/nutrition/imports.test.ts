import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const HEADER = 'localDate,foodName,calories,protein,mealType\n';
const importCsv = (token: string, csv: string, query = '') =>
  platform.rest('nutrition', 'POST', `/log/import${query}`, {
    token,
    body: csv,
    headers: { 'Content-Type': 'text/csv' },
  });

test('lines become entries; a wrong line is reported and not imported', async () => {
  const { token } = await platform.register();
  const csv = `${HEADER}2026-01-01,Oats,300,10.5,breakfast\n2026-01-01,,100,,\n2026-01-32,Rice,100,,\n2026-01-02,"Soup, ""hot""",abc,,\n2026-01-02,"Rice, white",205,4.25,LUNCH\n2026-01-02,Tea,1,,TEATIME\n`;
  const { status, body } = await importCsv(token, csv);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'DONE', lines: 6, imported: 2, duplicates: 0, failed: 4 });
  expect(body.errors.map(({ line, column }: { line: number; column: string }) => [line, column])).toEqual([
    [3, 'foodName'],
    [4, 'localDate'],
    [5, 'calories'],
    [7, 'mealType'],
  ]);
  const { body: daily } = await platform.rest(
    'nutrition',
    'GET',
    '/history/me/daily?from=2026-01-01&to=2026-01-02',
    { token },
  );
  expect(daily.days).toMatchObject([
    { totals: { calories: 300, protein: 10.5 } },
    { totals: { calories: 205 }, entries: [{ foodName: 'Rice, white', source: 'IMPORT' }] },
  ]);
});

test('the same file again changes nothing; two equal lines are two entries', async () => {
  const { token } = await platform.register();
  const csv = `${HEADER}2026-01-01,Coffee,2,,\n2026-01-01,Coffee,2,,\n`;
  expect((await importCsv(token, csv)).body).toMatchObject({ imported: 2, duplicates: 0 });
  expect((await importCsv(token, csv)).body).toMatchObject({ imported: 0, duplicates: 2 });
  expect((await importCsv(token, `${csv}2026-01-01,Coffee,2,,\n`)).body).toMatchObject({
    imported: 1,
    duplicates: 2,
  });
});

test('importing an own export changes nothing; another account gets all entries; formulas are escaped', async () => {
  const [ana, ben] = [await platform.register(), await platform.register()];
  for (const foodName of ['=SUM(A1)', 'Rice, "wild"', 'Crème brûlée'])
    await platform.rest('nutrition', 'POST', '/log', {
      token: ana.token,
      body: { foodName, calories: 10, protein: 0.5, quantity: 2, unit: 'cup', localDate: '2026-01-01' },
    });
  const csv = await platform.rest('nutrition', 'GET', `/history/${ana.id}/export.csv`, { token: ana.token });
  expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
  expect(csv.body).toContain("'=SUM(A1)");
  expect((await importCsv(ana.token, csv.body)).body).toMatchObject({ imported: 0, duplicates: 3 });
  expect((await importCsv(ben.token, csv.body)).body).toMatchObject({ imported: 3, failed: 0 });
  const names = (await platform.rest('nutrition', 'GET', '/history/me', { token: ben.token })).body.map(
    (entry: { foodName: string }) => entry.foodName,
  );
  expect(names.toSorted()).toEqual(['=SUM(A1)', 'Crème brûlée', 'Rice, "wild"'].toSorted());
  const graph = await platform.graph(
    'nutrition',
    'query($id: ID!) { _entities(representations: [{ __typename: "User", id: $id }]) { ... on User { foodLogCsv } } }',
    { id: ana.id },
    { token: ana.token },
  );
  expect(graph.data._entities[0].foodLogCsv).toBe(csv.body);
});

test('a file without the required columns is 400', async () => {
  const { token } = await platform.register();
  for (const csv of ['', 'a,b\n1,2\n', 'foodName,calories\nRice,1\n']) {
    const answer = await importCsv(token, csv);
    expect([csv, answer.status]).toEqual([csv, 400]);
  }
});

test('a body with another media type than CSV is 415', async () => {
  const { token } = await platform.register();
  expect(await platform.rest('nutrition', 'POST', '/log/import', { token, body: { a: 1 } })).toMatchObject({
    status: 415,
    body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
  });
});

test('the graph accepts the file as an upload, and only its owner can read the report', async () => {
  const { token } = await platform.register();
  const form = new FormData();
  form.append(
    'operations',
    JSON.stringify({
      query:
        'mutation($file: Upload!) { importFoodLogs(input: { file: $file }) { id status imported failed } }',
      variables: { file: null },
    }),
  );
  form.append('map', JSON.stringify({ 0: ['variables.file'] }));
  form.append('0', new Blob([`${HEADER}2026-01-01,Oats,300,,\n`], { type: 'text/csv' }), 'log.csv');
  const { body } = await platform.rest('nutrition', 'POST', '/graphql', {
    token,
    body: form,
    headers: { 'Apollo-Require-Preflight': 'true' },
  });
  expect(body.data.importFoodLogs).toMatchObject({ status: 'DONE', imported: 1, failed: 0 });
  const again = await platform.graph(
    'nutrition',
    'query($id: ID!) { foodLogImport(id: $id) { imported status } }',
    { id: body.data.importFoodLogs.id },
    { token },
  );
  expect(again.data.foodLogImport).toEqual({ imported: 1, status: 'DONE' });
  const other = await platform.register();
  expect(
    (
      await platform.rest('nutrition', 'GET', `/log/imports/${body.data.importFoodLogs.id}`, {
        token: other.token,
      })
    ).status,
  ).toBe(404);
});

/** The bytes of the heap right after a garbage collection, so that the time of the previous one does not matter. */
const liveHeap = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** The number of lines of a large file; IMPORT_LINES=50000 tests a larger one. */
const LINES = Number(process.env.IMPORT_LINES ?? 10_000);
const FIFTH = LINES / 5;

test('a large file is imported in bounded memory with progress; after a lost connection it can be sent again', async () => {
  const { token, id } = await platform.register();
  const line = (index: number) =>
    index % FIFTH === 7
      ? `2026-13-01,Broken ${index},1,,\n`
      : `${new Date(Date.UTC(2024, 0, 1 + (index % 700))).toISOString().slice(0, 10)},Food ${index},${index % 500},1.5,\n`;
  const importId = randomUUID();
  const seen: number[] = [];
  const heaps: number[] = [];
  const progress = async () =>
    (await platform.rest('nutrition', 'GET', `/log/imports/${importId}`, { token })).body;
  async function* file(until: number, watched: boolean) {
    yield HEADER;
    for (let start = 0; start < until; start += 500) {
      yield Array.from({ length: Math.min(500, until - start) }, (_unused, offset) =>
        line(start + offset),
      ).join('');
      if (!watched || start % (LINES / 10) !== 0) continue;
      seen.push((await progress()).lines ?? 0);
      heaps.push(liveHeap());
    }
  }
  const post = (stream: AsyncIterable<string>, query: string) =>
    fetch(`${platform.url('nutrition')}/log/import${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' },
      body: Readable.toWeb(Readable.from(stream)) as never,
      duplex: 'half',
    });

  // The connection is lost after two fifths of the file.
  async function* broken() {
    yield* file(FIFTH * 2, false);
    throw new Error('the network is gone');
  }
  await expect(post(broken(), '')).rejects.toThrow(/fetch failed|network|terminated/);
  const kept = async () =>
    (
      await platform.rest(
        'nutrition',
        'GET',
        `/history/${id}/series?from=2024-01-01&to=2026-01-01&bucket=month`,
        { token },
      )
    ).body.reduce((sum: number, point: { entries: number }) => sum + point.entries, 0);

  const before = liveHeap();
  const answer = await post(file(LINES, true), `?importId=${importId}`);
  const report = (await answer.json()) as {
    imported: number;
    duplicates: number;
    failed: number;
    lines: number;
    status: string;
    errors: { line: number }[];
  };
  const grown = (Math.max(...heaps) - before) / 1024 / 1024; // MiB, during the import
  expect(report).toMatchObject({ status: 'DONE', lines: LINES, failed: 5 });
  expect(report.imported + report.duplicates).toBe(LINES - 5);
  expect(report.errors.map(({ line: at }) => at)).toEqual(
    [0, 1, 2, 3, 4].map((fifth) => fifth * FIFTH + 7 + 2),
  );
  expect(seen.some((lines) => lines > 0 && lines < LINES)).toBe(true);
  expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  expect(grown).toBeLessThan(60);
  expect(await kept()).toBe(LINES - 5);
  expect(await progress()).toMatchObject({ status: 'DONE', lines: LINES });
  expect(await (await post(file(LINES, false), '')).json()).toMatchObject({
    imported: 0,
    duplicates: LINES - 5,
  });
  expect(await kept()).toBe(LINES - 5);
});
