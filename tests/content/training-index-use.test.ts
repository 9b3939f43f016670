import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { sequentialScans, type RunSql } from '../support/index-use.ts';
import { statementsDuring } from '../support/statements.ts';
import { BENCH, PULL_UP } from './training-support.ts';

/** The number of trainings; SEEDED_ROWS=1000000 tests more. The caller has three a week for ten years, in any case. */
const ROWS = Number(process.env.SEEDED_ROWS ?? 20_000);
const OWN = 1_560;
const PART = 100_000;

let platform: TestPlatform;
let token: string;
let id: string;
const sql: RunSql = (statement, values) => platform.sql('content', statement, values);

beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content'] });
  ({ id, token } = await platform.register());
  const sets = `'[{"id": "a", "type": "NORMAL", "reps": 5, "weightKg": 60, "assistedKg": null, "durationSeconds": null, "distanceMeters": null, "rpe": null, "restSeconds": null, "completedAt": null}]'`;
  const began = `case when n <= ${OWN} then now() - make_interval(hours => n * 56) else now() - make_interval(mins => n) end`;
  // In parts, because a statement has a time limit.
  for (let first = 1; first <= ROWS; first += PART)
    await sql(
      `insert into training (id, user_id, started_at, ended_at, local_date, minutes, entries, volume_kg, created_at, updated_at)
       select gen_random_uuid(), case when n <= ${OWN} then $1::uuid else md5((n / 100)::text)::uuid end, ${began}, ${began} + interval '1 hour', (${began})::date, 60,
         jsonb_build_array(jsonb_build_object('exerciseId', $2::text, 'sets', ${sets}::jsonb), jsonb_build_object('exerciseId', $3::text, 'sets', ${sets}::jsonb)), 600, now(), now()
       from generate_series($4::int, $5::int) as n`,
      [id, BENCH, PULL_UP, first, Math.min(ROWS, first + PART - 1)],
    );
  await sql('analyze training');
  const figures = `insert into training_exercise (training_id, exercise_id, user_id, started_at, local_date, is_running, volume_kg, heaviest, most_reps, e1rm, bests)
    select training.id, exercise.id, user_id, started_at, local_date, false, 300, 60, 5, 70, '{}' from training`;
  await sql(`${figures} cross join unnest(array[$1, $2]::uuid[]) as exercise(id) where user_id = $3`, [
    BENCH,
    PULL_UP,
    id,
  ]);
  // The figures of other users are of many exercises. Each statement writes those of a range of user ids.
  const parts = Math.ceil(ROWS / 20_000);
  const boundary = (part: number) =>
    `${Math.min(0xffffffff, Math.floor((part * 2 ** 32) / parts))
      .toString(16)
      .padStart(8, '0')}-0000-0000-0000-000000000000`;
  for (let part = 0; part < parts; part += 1)
    await sql(
      `${figures} join (select id, row_number() over () as place, count(*) over () as total from exercise) as exercise
         on exercise.place = abs(hashtext(training.id::text)) % exercise.total + 1
       where user_id <> $1 and user_id >= $2::uuid and user_id < $3::uuid`,
      [id, boundary(part), boundary(part + 1)],
    );
  await sql('analyze');
});
afterAll(() => platform.stop());

it('every statement of the training log finds its rows by an index, with ten years of trainings', async () => {
  const rest = async (method: string, path: string, body?: unknown) => {
    const answer = await platform.rest('content', method, path, {
      token,
      ...(body !== undefined && { body }),
    });
    expect({ path, status: answer.status, body: answer.status < 300 ? null : answer.body }).toEqual({
      path,
      status: expect.any(Number),
      body: null,
    });
    return answer;
  };
  const statements = await statementsDuring(async () => {
    const { body } = await rest('POST', '/trainings', {
      entries: [{ exerciseId: BENCH, sets: [{ reps: 5, weightKg: 80 }] }],
    });
    const training = `/trainings/${body.id}`;
    await rest('PUT', `${training}/sets/a`, { exerciseId: PULL_UP, reps: 5 });
    await rest('PUT', training, { endedAt: new Date().toISOString() });
    await rest('POST', `${training}/copy`, {});
    for (const path of [
      training,
      '/trainings?from=2025-01-01&to=2026-12-31',
      '/trainings/summary',
      '/trainings/summary?from=2017-01-01&to=2026-12-31&bucket=month',
      '/trainings/export.csv?from=2026-01-01',
      `/exercises/${BENCH}/last`,
      `/exercises/${BENCH}/records`,
      `/exercises/${BENCH}/progress?metric=VOLUME`,
      `/exercises/${BENCH}/progress.svg?from=2026-01-01`,
    ])
      await rest('GET', path);
    const { body: own } = await rest('POST', '/workouts', {
      title: 'Own',
      difficulty: 'Beginner',
      category: 'Strength',
    });
    await rest('GET', '/workouts/next');
    await rest('DELETE', `/workouts/${own.id}`);
    const { headers } = await rest('GET', '/trainings?limit=2');
    const next = new URLSearchParams(/\?([^>]*)>/.exec(headers.get('link') ?? '')?.[1]).get('cursor');
    await rest('GET', `/trainings?limit=2&cursor=${encodeURIComponent(next ?? '')}`);
    await rest('DELETE', training);
    const identity = { token: await platform.serviceToken('identity') };
    await platform.rest('content', 'GET', `/accounts/${id}/records`, identity);
    const erased = await platform.rest('content', 'DELETE', `/accounts/${id}`, identity);
    expect(erased.status).toBe(200);
  });
  expect(await sequentialScans(sql, statements)).toEqual([]);
});
