import { randomUUID } from 'node:crypto';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MILLIS } from '#server/durations.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { sequentialScans, type RunSql } from '../support/index-use.ts';
import { statementsDuring } from '../support/statements.ts';
import { EXERCISE, PRODUCT, ROUTINE, unique } from './support.ts';

/** The number of rows of each table; SEEDED_ROWS=1000000 tests more. */
const ROWS = Number(process.env.SEEDED_ROWS ?? 20_000);

let platform: TestPlatform;
let [member, admin] = ['', ''];
const sql: RunSql = (statement, values) => platform.sql('content', statement, values);

beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content'] });
  member = await platform.demo('maya@iron.test');
  admin = await platform.demo('admin@iron.test');
  // The rows belong to many gyms, so that a caller may see few of them: those of their gym, and the global ones.
  const gym = 'md5((n / 100)::text)::uuid';
  const when = 'now() - make_interval(mins => n)';
  await sql(
    `insert into exercise (id, gym_id, name, aliases, primary_muscles, secondary_muscles, equipment, level, category, modality, created_at, updated_at)
     select gen_random_uuid(), ${gym}, 'Exercise ' || md5(n::text), '[]', '["chest"]', '["triceps"]', case when n % 500 = 0 then 'sled' else 'barbell' end, 'Beginner', 'strength', 'WEIGHT_REPS', ${when}, now() from generate_series(1, $1::int) as n`,
    [ROWS],
  );
  await sql(
    `insert into workout_routine (id, gym_id, title, difficulty, category, target_muscles, equipment, exercises, duration_minutes, created_at, updated_at)
     select gen_random_uuid(), ${gym}, 'Routine ' || md5(n::text), 'Beginner', 'Strength', '["chest"]', '["barbell"]', '[]', n % 90 + 1, ${when}, now() from generate_series(1, $1::int) as n`,
    [ROWS],
  );
  await sql(
    `insert into workout_routine_version (routine_id, version, content, created_at) select id, version, '{}', created_at from workout_routine on conflict do nothing`,
  );
  await sql(
    `insert into product (id, gym_id, sku, name, kind, price, currency, images, variants, created_at, updated_at, featured_priority)
     select gen_random_uuid(), ${gym}, 'sku-' || n, 'Product ' || md5(n::text), 'MERCHANDISE', n, 'EUR', '[]', '[]', ${when}, now(), case when n % 50 = 0 then n end from generate_series(1, $1::int) as n`,
    [ROWS],
  );
  await sql('analyze');
});
afterAll(() => platform.stop());

const lists = {
  exercises: [
    '',
    'sort=newest',
    'muscle=chest',
    'muscle=nothing',
    'equipment=barbell',
    'equipment=sled',
    'equipment=nothing',
    'difficulty=Beginner',
    'difficulty=nothing',
    'category=strength',
    'category=nothing',
    'modality=WEIGHT_REPS',
    'modality=nothing',
    'search=bench',
    'search=bench&sort=name',
    'search=benhc',
    'search=dead%20lift',
    'search=cardio',
    'search=upper%20body',
    'search=%25',
    `gymId=${randomUUID()}`,
  ],
  workouts: [
    '',
    'sort=newest',
    'sort=duration',
    'muscle=chest',
    'muscle=nothing',
    'equipment=barbell',
    'equipment=nothing',
    'difficulty=Beginner',
    'difficulty=nothing',
    'category=Strength',
    'category=nothing',
    'maxMinutes=10',
    `exerciseId=${randomUUID()}`,
    'search=push',
    'search=mobilty',
    'search=%25',
    `gymId=${randomUUID()}`,
  ],
  products: [
    '',
    'sort=newest',
    'sort=price',
    'sort=-price',
    'kind=MERCHANDISE',
    'kind=nothing',
    'minPrice=100&maxPrice=200',
    'inStock=true',
    'search=bands',
    'search=protien',
    'search=%25',
    `gymId=${randomUUID()}`,
  ],
};

async function get(path: string, token: string) {
  const answer = await platform.rest('content', 'GET', path, token ? { token } : {});
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  return answer;
}

const callers = [
  ['a member', () => member],
  ['a caller without a token', () => ''],
] as const;

/** Requests the first and the second page of each query. @returns the statements that read a whole table */
async function scansOf(list: string, queries: readonly string[], token: string): Promise<string[]> {
  const statements = await statementsDuring(async () => {
    for (const query of queries) {
      const path = `/${list}?limit=20${query && `&${query}`}`;
      const { headers } = await get(path, token);
      const cursor = new URLSearchParams(/\?([^>]*)>/.exec(headers.get('link') ?? '')?.[1]).get('cursor');
      if (cursor) await get(`${path}&cursor=${encodeURIComponent(cursor)}`, token);
    }
  });
  return sequentialScans(sql, statements);
}

it('every statement that reads or writes one row finds it by an index', async () => {
  const rest = async (method: string, path: string, body?: unknown) => {
    const answer = await platform.rest('content', method, path, {
      token: admin,
      ...(body !== undefined && { body }),
    });
    expect({ path, status: answer.status < 300 ? 200 : answer.status }).toEqual({ path, status: 200 });
    return answer.body;
  };
  const statements = await statementsDuring(async () => {
    const exercise = await rest('POST', '/exercises', EXERCISE);
    const sets = [{ distanceMeters: 100 }];
    const routine = await rest('POST', '/workouts', {
      ...ROUTINE,
      exercises: [{ entries: [{ exerciseId: exercise.id, sets }] }],
    });
    const product = await rest('POST', '/products', { ...PRODUCT, sku: unique() });
    await rest('PUT', `/exercises/${exercise.id}`, { name: 'Other' });
    await rest('PUT', `/workouts/${routine.id}`, { title: 'Other' });
    await rest('PUT', `/products/${product.id}`, { name: 'Other' });
    for (const path of [
      `/exercises/${exercise.id}`,
      `/workouts/${routine.id}`,
      `/workouts/${routine.id}?version=1`,
      `/workouts/${routine.id}/versions`,
      `/workouts/${routine.id}/exercises`,
      `/products/${product.id}`,
    ])
      await rest('GET', path);
    await rest('DELETE', `/workouts/${routine.id}`);
    await rest('DELETE', `/exercises/${exercise.id}`);
    await rest('DELETE', `/products/${product.id}`);
  });
  expect(await sequentialScans(sql, statements)).toEqual([]);
});

it('the rows that refer to a picture are found by an index, before unused pictures are removed', async () => {
  const { body: exercise } = await platform.rest('content', 'POST', '/exercises', {
    token: admin,
    body: EXERCISE,
  });
  const form = new FormData();
  form.append('image', new Blob([new Uint8Array(await pictures.normal('png'))]), 'picture.png');
  const uploaded = await platform.rest('content', 'POST', `/exercises/${exercise.id}/image`, {
    token: admin,
    body: form,
  });
  expect(uploaded.status).toBe(201);
  const folder = join(platform.dataDir, 'files', 'content', 'media');
  await writeFile(join(folder, 'unfinished.part'), 'x');
  const twoDaysAgo = new Date(Date.now() - 2 * DAY_MILLIS);
  for (const file of await readdir(folder)) await utimes(join(folder, file), twoDaysAgo, twoDaysAgo);
  const statements = await statementsDuring(async () => {
    await platform.restart('content'); // removes old rows and files at its start
    await eventually(async () => !(await readdir(folder)).includes('unfinished.part'));
  });
  expect(await readdir(folder)).toHaveLength(3);
  const ofPictures = statements.filter(({ text }) => text.includes('select image as path'));
  expect(await sequentialScans(sql, ofPictures)).toEqual([]);
});

describe('if most rows belong to other gyms', () => {
  describe.each(callers)('for %s', (_who, tokenOf) => {
    it.each(Object.entries(lists))('every list of %s is found by an index', async (list, queries) => {
      expect(await scansOf(list, queries, tokenOf())).toEqual([]);
    });

    it('the lists of facets and of featured products are found by an index', async () => {
      const token = tokenOf();
      const statements = await statementsDuring(async () => {
        for (const path of ['/muscles', '/equipment', '/exercises/categories', '/products/featured'])
          await get(path, token);
      });
      expect(await sequentialScans(sql, statements)).toEqual([]);
    });
  });
});

// The lists of facets are not tested here, because they count all exercises that the caller may see: the whole table.
describe('if all rows are global', () => {
  beforeAll(async () => {
    for (const table of ['exercise', 'workout_routine', 'product'])
      await sql(`update ${table} set gym_id = null where gym_id is not null`);
    await sql('vacuum analyze');
  });

  describe.each(callers)('for %s', (_who, tokenOf) => {
    it.each(Object.entries(lists))('every list of %s is found by an index', async (list, queries) => {
      expect(await scansOf(list, queries, tokenOf())).toEqual([]);
    });

    it('the list of featured products is found by an index', async () => {
      const statements = await statementsDuring(() => get('/products/featured', tokenOf()));
      expect(await sequentialScans(sql, statements)).toEqual([]);
    });
  });
});
