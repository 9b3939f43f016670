import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { sequentialScans, type RunSql } from '../support/index-use.ts';
import { statementsDuring } from '../support/statements.ts';

/** The number of rows of each table; SEEDED_ROWS=1000000 tests more. */
const ROWS = Number(process.env.SEEDED_ROWS ?? 20_000);

let platform: TestPlatform;
let token: string;
let id: string;
const sql: RunSql = (statement, values) => platform.sql('nutrition', statement, values);

beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
  ({ id, token } = await platform.register());
  // Every 200th entry belongs to the caller; each other user has about a hundred.
  await sql(
    `insert into food_log (id, user_id, food_name, calories, protein, carbs, fats, source, logged_at, local_date, created_at, version, import_key)
     select gen_random_uuid(), case when n % 200 = 0 then $1::uuid else md5((n / 100)::text)::uuid end, 'Food', 100, 1, 1, 1, 'MANUAL',
       now() - make_interval(hours => n % 5000), (now() - make_interval(hours => n % 5000))::date, now(), 1, md5(n::text)
     from generate_series(1, $2::int) as n`,
    [id, ROWS],
  );
  await sql(
    `insert into food_log_day (user_id, local_date, entries, calories, protein, carbs, fats)
     select user_id, local_date, count(*), sum(calories), 1, 1, 1 from food_log group by 1, 2 on conflict do nothing`,
  );
  await sql(
    `insert into nutrition_goal (id, user_id, weekday, date, calories, updated_at)
     select gen_random_uuid(), case when n % 200 = 0 then $1::uuid else md5(n::text)::uuid end, null, '2020-01-01'::date + n, 2000, now() from generate_series(1, $2::int) as n`,
    [id, ROWS],
  );
  await sql(
    `insert into food_log_import (id, user_id, status, errors, started_at)
     select gen_random_uuid(), md5((n / 10)::text)::uuid, 'DONE', '[]', now() - make_interval(mins => n) from generate_series(1, $1::int) as n`,
    [ROWS],
  );
  await sql(
    `insert into food (id, user_id, name, barcode, calories, measures, created_at, updated_at)
     select gen_random_uuid(), case when n % 4 = 0 then null when n % 200 = 1 then $1::uuid else md5((n / 100)::text)::uuid end,
       'Food ' || n, lpad(n::text, 13, '0'), 100, '[]', now(), now() from generate_series(1, $2::int) as n`,
    [id, ROWS],
  );
  await sql(
    `insert into food_favourite (id, user_id, food_id, created_at)
     select gen_random_uuid(), coalesce(user_id, gen_random_uuid()), id, now() from food`,
  );
  await sql('analyze');
});
afterAll(() => platform.stop());

it('the statements of the food log, the goals, imports, foods and account data find their rows by an index', async () => {
  const rest = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    platform.rest('nutrition', method, path, {
      token,
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    });
  const expectOk = ({ status, body }: { status: number; body: unknown }) =>
    expect({ status, body: status < 300 ? undefined : body }).toEqual({ status, body: undefined });
  const statements = await statementsDuring(async () => {
    const logged = await rest(
      'POST',
      '/log',
      { foodName: 'Egg', calories: 78 },
      { 'idempotency-key': 'egg-1' },
    );
    expectOk(logged);
    const entry = `/log/${logged.body.id}`;
    for (const [method, path, body] of [
      [
        'POST',
        '/log',
        {
          entries: [
            { foodName: 'Rice', calories: 205 },
            { foodName: 'Beans', calories: 132 },
          ],
        },
      ],
      ['GET', entry],
      ['PUT', entry, { calories: 80, localDate: '2026-01-05' }],
      ['POST', `${entry}/copy`, {}],
      ['GET', '/history/me?limit=200'],
      ['GET', '/history/me?from=2026-01-01&to=2026-12-31&mealType=SNACK'],
      ['GET', '/history/me/daily?from=2026-10-01&to=2026-11-30'],
      ['GET', '/history/me/series?from=2026-01-01&to=2026-12-31&bucket=WEEK'],
      ['GET', '/history/me/export.csv'],
      ['GET', '/goals'],
      ['PUT', '/goals', { calories: 2_000 }],
      ['PUT', '/goals', { calories: 2_000, weekday: 1 }],
      ['DELETE', '/goals?weekday=1'],
      ['DELETE', entry],
    ] as const)
      expectOk(await rest(method, path, body));
    const food = await rest('POST', '/foods', {
      name: 'Porridge',
      barcode: '4006381333931',
      per100g: { calories: 90 },
    });
    expectOk(food);
    const own = `/foods/${food.body.id}`;
    for (const [method, path, body] of [
      ['GET', own],
      ['PUT', own, { name: 'Oat porridge' }],
      ['PUT', `${own}/favourite`],
      ['POST', '/log', { foodId: food.body.id, grams: 200 }],
      ['GET', '/foods?search=porridge'],
      ['GET', '/foods?favourite=true'],
      ['GET', '/foods?recent=true'],
      ['GET', '/foods/barcode/4006381333931'],
      ['DELETE', `${own}/favourite`],
      ['DELETE', own],
    ] as const)
      expectOk(await rest(method, path, body));
    const page = await rest('GET', '/history/me?limit=2');
    const next = new URLSearchParams(/\?([^>]*)>/.exec(page.headers.get('link') ?? '')?.[1]).get('cursor');
    expectOk(await rest('GET', `/history/me?limit=2&cursor=${encodeURIComponent(next ?? '')}`));
    const csv = 'foodName,calories,localDate\nApple,95,2026-01-02\nPear,100,2026-01-03\n';
    const imported = await rest('POST', '/log/import', csv, { 'content-type': 'text/csv' });
    expectOk(imported);
    expectOk(await rest('GET', `/log/imports/${imported.body.id}`));
    const identity = { token: await platform.serviceToken('identity') };
    expectOk(await platform.rest('nutrition', 'GET', `/accounts/${id}/records`, identity));
    expectOk(await platform.rest('nutrition', 'DELETE', `/accounts/${id}`, identity));
  });
  expect(await sequentialScans(sql, statements)).toEqual([]);
});
