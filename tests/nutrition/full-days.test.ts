import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const DAY = '2026-01-05';
const NEXT_DAY = '2026-01-06';
const FULL = 1_000;

/** A member who has so many entries on each of these days. */
async function memberWith(entries: number, days: readonly string[] = [DAY]) {
  const member = await platform.register();
  await platform.sql(
    'nutrition',
    `insert into food_log (id, user_id, food_name, calories, protein, carbs, fats, source, logged_at, local_date, created_at)
     select gen_random_uuid(), $1, 'Food ' || n, 1, 0, 0, 0, 'MANUAL', now(), day::date, now() from generate_series(1, $2::int) as n, unnest($3::text[]) as day`,
    [member.id, entries, days],
  );
  await platform.sql(
    'nutrition',
    `insert into food_log_day (user_id, local_date, entries, calories, protein, carbs, fats)
     select $1, day::date, $2::int, $2::int, 0, 0, 0 from unnest($3::text[]) as day`,
    [member.id, entries, days],
  );
  const call = (method: string, path: string, body?: object) =>
    platform.rest('nutrition', method, path, { token: member.token, ...(body && { body }) });
  const counts = async () =>
    (
      await platform.sql(
        'nutrition',
        `select (select count(*)::int from food_log where user_id = $1 and local_date = $2) as entries,
           (select entries from food_log_day where user_id = $1 and local_date = $2) as summed`,
        [member.id, DAY],
      )
    )[0];
  return { ...member, call, counts };
}
const food = (localDate = DAY) => ({ foodName: 'Soup', calories: 10, localDate });
const FULL_DAY = { status: 409, body: { code: 'CONFLICT', detail: expect.stringContaining(DAY) } };

test('a day gets no more than 1,000 entries by logging, copying or moving; its entries can be changed and deleted', async () => {
  const { call, counts, token } = await memberWith(FULL - 1);
  const last = await call('POST', '/log', food());
  expect(last.status).toBe(201);
  expect(await call('POST', '/log', food())).toMatchObject(FULL_DAY);
  expect(await call('POST', '/log', { entries: [food(NEXT_DAY), food()] })).toMatchObject(FULL_DAY);
  expect(await call('POST', `/log/${last.body.id}/copy`, { localDate: DAY })).toMatchObject(FULL_DAY);
  const other = await call('POST', '/log', food(NEXT_DAY));
  expect(await call('PUT', `/log/${other.body.id}`, { localDate: DAY })).toMatchObject(FULL_DAY);
  const { errors } = await platform.graph(
    'nutrition',
    'mutation ($input: LogFoodInput!) { logFood(input: $input) { id } }',
    { input: food() },
    { token },
  );
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT' });
  expect(await counts()).toEqual({ entries: FULL, summed: FULL });

  expect((await call('PUT', `/log/${last.body.id}`, { calories: 20 })).status).toBe(200);
  expect((await call('GET', `/history/me/daily?from=${DAY}&to=${DAY}`)).body.days[0].entries).toHaveLength(
    FULL,
  );
  expect((await call('DELETE', `/log/${last.body.id}`)).status).toBe(204);
  const atOnce = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/log', food())));
  expect(atOnce.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(atOnce.filter(({ status }) => status === 409)).toHaveLength(4);
  expect(await counts()).toEqual({ entries: FULL, summed: FULL });
});

test('an import reports the lines for which a day has no room, and imports the others', async () => {
  const { token, counts } = await memberWith(FULL - 2);
  const csv = [
    'localDate,foodName,calories',
    `${DAY},First,1`,
    `${NEXT_DAY},Elsewhere,1`,
    `${DAY},Second,1`,
    `${DAY},Third,1`,
    `${DAY},,1`,
    `${DAY},Fourth,1`,
    '',
  ].join('\n');
  const { status, body } = await platform.rest('nutrition', 'POST', '/log/import', {
    token,
    body: csv,
    headers: { 'Content-Type': 'text/csv' },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'DONE', lines: 6, imported: 3, duplicates: 0, failed: 3 });
  expect(body.errors.map(({ line }: { line: number }) => line)).toEqual([5, 6, 7]);
  expect(body.errors[0].message).toContain(DAY);
  expect(await counts()).toEqual({ entries: FULL, summed: FULL });
});

test('a day that has more entries already can be emptied; a range with too many of them is refused', async () => {
  const { call, counts } = await memberWith(10_001);
  const [entry] = (await call('GET', '/history/me?limit=1')).body;
  const range = `/history/me/daily?from=${DAY}&to=${DAY}`;
  expect(await call('GET', range)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  expect((await call('DELETE', `/log/${entry.id}`)).status).toBe(204);
  expect(await counts()).toEqual({ entries: 10_000, summed: 10_000 });
  expect((await call('GET', range)).status).toBe(200);
});
