import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let token: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
  ({ token } = await platform.register());
});
afterAll(() => platform.stop());

const rest = (method: string, path: string, body?: object, ifMatch?: string) =>
  platform.rest('nutrition', method, path, {
    token,
    ...(body && { body }),
    ...(ifMatch && { headers: { 'if-match': ifMatch } }),
  });
const graph = (query: string) => platform.graph('nutrition', query, {}, { token });
const conflict = { status: 412, body: { code: 'VERSION_CONFLICT' } };

describe('a nutrition goal', () => {
  it('is changed and deleted only at the version that was read', async () => {
    const made = await rest('PUT', '/goals', { calories: 2_000, weekday: 2 });
    expect(made).toMatchObject({ status: 200, body: { version: 1 } });
    expect(made.headers.get('etag')).toBe('"1"');
    const changed = await rest('PUT', '/goals', { calories: 2_100, weekday: 2 }, '"1"');
    expect(changed).toMatchObject({ status: 200, body: { calories: 2_100, version: 2 } });
    expect(await rest('PUT', '/goals', { calories: 1, weekday: 2 }, '"1"')).toMatchObject(conflict);
    expect(await rest('PUT', '/goals', { calories: 1, weekday: 2, version: 1 })).toMatchObject(conflict);
    expect(await rest('DELETE', '/goals?weekday=2', undefined, '"1"')).toMatchObject(conflict);
    expect(await rest('DELETE', '/goals?weekday=2', undefined, '"2"')).toMatchObject({ status: 204 });
    expect(await rest('PUT', '/goals', { calories: 1, weekday: 2 }, '"2"')).toMatchObject(conflict);
  });

  it('has the same versions in the graph', async () => {
    const set = (version: string) =>
      graph(
        `mutation { setNutritionGoal(input: { calories: 1800, weekday: 3${version} }) { calories version } }`,
      );
    expect((await set('')).data.setNutritionGoal).toEqual({ calories: 1_800, version: 1 });
    expect((await set(', version: 1')).data.setNutritionGoal.version).toBe(2);
    expect(await set(', version: 1')).toMatchObject({
      errors: [{ extensions: { code: 'VERSION_CONFLICT' } }],
    });
    expect(await graph('mutation { deleteNutritionGoal(input: { weekday: 3, version: 1 }) }')).toMatchObject({
      errors: [{ extensions: { code: 'VERSION_CONFLICT' } }],
    });
    expect((await graph('mutation { deleteNutritionGoal(input: { weekday: 3, version: 2 }) }')).data).toEqual(
      { deleteNutritionGoal: true },
    );
  });

  it('accepts exactly one of ten simultaneous changes of one version', async () => {
    await rest('PUT', '/goals', { calories: 2_000, weekday: 5 });
    // Because of a lock for 1 s, all ten wait for the goal before the first of them can write.
    const locked = platform.sql(
      'nutrition',
      'begin; select 1 from nutrition_goal where weekday = 5 for update; select pg_sleep(1); commit',
    );
    await eventually(async () => {
      const asleep = await platform.sql(
        'nutrition',
        `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
      return asleep.length > 0;
    });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_unused, index) =>
        rest('PUT', '/goals', { calories: 2_001 + index, weekday: 5 }, '"1"'),
      ),
    );
    await locked;
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array(9).fill(412),
    ]);
  });
});

describe('an entry of the food log', () => {
  it('is changed and removed only at the version that was read', async () => {
    const { body } = await rest('POST', '/log', { foodName: 'Oats', calories: 300 });
    const path = `/log/${body.id}`;
    expect(await rest('PUT', path, { calories: 310 }, '"1"')).toMatchObject({ body: { version: 2 } });
    expect(await rest('PUT', path, { calories: 320 }, '"1"')).toMatchObject(conflict);
    expect(await rest('DELETE', path, undefined, '"1"')).toMatchObject(conflict);
    expect((await rest('DELETE', path, undefined, '"2"')).status).toBe(204);
  });
});
