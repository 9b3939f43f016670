import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { startProcess, type StartedProcess } from '../support/process.ts';
import { testRun } from '../support/test-run.ts';

let platform: TestPlatform;
let killed: StartedProcess | undefined;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(async () => {
  await killed?.end('SIGKILL'); // if the test has failed before
  await platform.stop();
});

const LINES = 2_500;
const HEADER = 'localDate,foodName,calories\n';
const line = (index: number) =>
  `${new Date(Date.UTC(2024, 0, 1 + (index % 300))).toISOString().slice(0, 10)},Food ${index},${1 + (index % 500)}\n`;
const linesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_unused, offset) => line(from + offset)).join('');
const FILE = HEADER + linesOf(0, LINES);

const send = (token: string, body: string | Readable, importId: string, url = platform.url('nutrition')) =>
  fetch(`${url}/log/import?importId=${importId}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' },
    body: typeof body === 'string' ? body : (Readable.toWeb(body) as never),
    duplex: 'half',
  });
const importFile = async (token: string, importId: string, file = FILE) => {
  const answer = await send(token, file, importId);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const report = async (token: string, importId: string) =>
  (await platform.rest('nutrition', 'GET', `/log/imports/${importId}`, { token })).body;
const entriesOf = async (userId: string) =>
  (
    await platform.sql(
      'nutrition',
      'select count(*)::int as entries, count(distinct food_name)::int as names from food_log where user_id = $1',
      [userId],
    )
  )[0];
/** Ends the time in which a process must give a sign of life. */
const expireLease = (importId: string) =>
  platform.sql(
    'nutrition',
    `update food_log_import set renewed_at = renewed_at - interval '1 minute' where id = $1`,
    [importId],
  );

/** Begins an import whose file does not end, and waits until a part of it is stored. */
async function begun(token: string, importId: string, url?: string) {
  let goOn: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* file() {
    yield HEADER + linesOf(0, 1_500);
    await waiting;
    yield linesOf(1_500, LINES);
  }
  const answer = send(token, Readable.from(file()), importId, url).then(
    async (response) => ({ status: response.status, body: (await response.json()) as { code?: string } }),
    () => undefined, // the connection is lost
  );
  await eventually(async () => (await report(token, importId)).lines > 0);
  return { answer, goOn };
}

test('an import whose process was killed ends as FAILED, and can be repeated with the same importId', async () => {
  const { token, id } = await platform.register();
  const [{ name }] = await platform.sql('nutrition', 'select current_database() as name');
  killed = startProcess(
    [],
    {
      ...platform.env,
      DEMO: 'off',
      TEST_DATABASE: JSON.stringify({ server: testRun.current().server, name }),
    },
    'tests/nutrition/programs/killed-nutrition.ts',
  );
  const [, url] = await killed.printed(/ready at (\S+) \./);
  const [repeated, ended] = [randomUUID(), randomUUID()];
  const imports = [await begun(token, repeated, url), await begun(token, ended, url)];
  await killed.end('SIGKILL');
  for (const { goOn, answer } of imports) {
    goOn();
    expect(await answer).toBeUndefined();
  }

  await expireLease(repeated);
  expect(await importFile(token, repeated)).toMatchObject({
    status: 200,
    body: {
      id: repeated,
      status: 'DONE',
      lines: LINES,
      imported: LINES - 1_000,
      duplicates: 1_000,
      failed: 0,
    },
  });
  expect(await entriesOf(id)).toEqual({ entries: LINES, names: LINES });
  expect(await report(token, repeated)).toMatchObject({ status: 'DONE', lines: LINES });

  expect(await report(token, ended)).toMatchObject({ status: 'RUNNING', finishedAt: null });
  await expireLease(ended);
  await runScheduled(platform, 'nutrition', 'end_interrupted_imports');
  await eventually(async () => (await report(token, ended)).status === 'FAILED');
  expect(await report(token, ended)).toMatchObject({ lines: 1_000, finishedAt: expect.any(String) });
  expect(await importFile(token, ended)).toMatchObject({
    status: 200,
    body: { status: 'DONE', lines: LINES, duplicates: LINES },
  });
  expect(await entriesOf(id)).toEqual({ entries: LINES, names: LINES });
}, 60_000);

test('an import ends as FAILED if the database refuses its last lines, and can be repeated', async () => {
  const { token, id } = await platform.register();
  const importId = randomUUID();
  await platform.sql(
    'nutrition',
    `create or replace function fail_import() returns trigger language plpgsql as $$ begin
       raise exception 'out of space' using errcode = '53100'; end $$;
     create or replace trigger fail_import before insert on food_log for each row
       when (new.user_id = '${id}' and new.food_name = 'Food 2400') execute function fail_import()`,
  );
  expect((await importFile(token, importId)).status).toBeGreaterThanOrEqual(500);
  expect(await report(token, importId)).toMatchObject({ status: 'FAILED', lines: 2_000, imported: 2_000 });
  await platform.sql('nutrition', 'drop trigger fail_import on food_log');
  expect(await importFile(token, importId)).toMatchObject({
    status: 200,
    body: { status: 'DONE', lines: LINES, imported: 500, duplicates: 2_000 },
  });
  expect(await entriesOf(id)).toEqual({ entries: LINES, names: LINES });
});

test('an import that is running or done, or that belongs to another user, is not repeated', async () => {
  const [{ token, id }, other] = [await platform.register(), await platform.register()];
  const importId = randomUUID();
  const running = await begun(token, importId);
  expect(await importFile(token, importId)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  running.goOn();
  expect(await running.answer).toMatchObject({ status: 200, body: { status: 'DONE', lines: LINES } });
  const refused = await importFile(token, importId);
  expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  expect(refused.body.detail).toContain(`/log/imports/${importId}`);

  const failed = randomUUID();
  expect((await importFile(token, failed, 'a,b\n1,2\n')).status).toBe(400);
  expect((await importFile(other.token, failed)).status).toBe(409);
  expect(await importFile(token, failed)).toMatchObject({ status: 200, body: { duplicates: LINES } });
  expect(await entriesOf(id)).toEqual({ entries: LINES, names: LINES });
});

test('an import that was interrupted for long writes nothing more after it was repeated', async () => {
  const { token, id } = await platform.register();
  const importId = randomUUID();
  const slow = await begun(token, importId);
  await expireLease(importId);
  expect(await importFile(token, importId)).toMatchObject({ status: 200, body: { imported: LINES - 1_000 } });
  const after = await report(token, importId);
  slow.goOn();
  expect(await slow.answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  expect(await report(token, importId)).toEqual(after);
  expect(await entriesOf(id)).toEqual({ entries: LINES, names: LINES });
});
