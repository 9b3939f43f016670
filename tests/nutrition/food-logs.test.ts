import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type GraphAnswer, type GraphPage, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const OATS = { foodName: 'Oats', calories: 300, protein: 10.5, carbs: 54, fats: 5.25, mealType: 'BREAKFAST' };
const OF_USER = `query($id: ID!) { _entities(representations: [{ __typename: "User", id: $id }]) { ... on User {
  foodLogs { nodes { foodName } } nutritionDay { date } nutritionSeries { start } nutritionGoal { calories } nutritionChart foodLogCsv } } }`;

interface Person {
  id: string;
  token: string;
}
const rest = (who: Person, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  platform.rest('nutrition', method, path, {
    token: who.token,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  });
const graph = (who: Person | undefined, query: string, variables: object = {}) =>
  platform.graph('nutrition', query, variables, who && { token: who.token });

describe('the food log', () => {
  test('the graph reads entries that REST wrote, and REST those of the graph', async () => {
    const ana = await platform.register();
    const logged = await rest(ana, 'POST', '/log', OATS);
    expect(logged).toMatchObject({
      status: 201,
      body: { ...OATS, userId: ana.id, source: 'MANUAL', quantity: null, version: 1 },
    });
    const byGraph = await graph(
      ana,
      'mutation { logFood(input: { foodName: "Egg", calories: 78, protein: 6.3, mealType: SNACK }) { id foodName calories protein carbs } }',
    );
    expect(byGraph.data.logFood).toMatchObject({ foodName: 'Egg', calories: 78, protein: 6.3, carbs: 0 });
    const history = await rest(ana, 'GET', `/history/${ana.id}`);
    expect(history.body.map((entry: { foodName: string }) => entry.foodName)).toEqual(['Egg', 'Oats']);
    const entities = await graph(ana, OF_USER.replace(/nutritionDay[^}]*}.*foodLogCsv/s, ''), { id: ana.id });
    expect(entities.data._entities[0].foodLogs.nodes).toEqual([{ foodName: 'Egg' }, { foodName: 'Oats' }]);
  });

  test('all entries of a confirmed meal are written, or none', async () => {
    const ana = await platform.register();
    const meal = await rest(ana, 'POST', '/log', {
      mealType: 'lunch',
      entries: [
        { foodName: 'Rice', calories: 205 },
        { foodName: 'Beans', calories: 132, mealType: 'SNACK' },
      ],
    });
    expect(meal).toMatchObject({
      status: 201,
      body: { totals: { calories: 337 }, entries: [{ mealType: 'LUNCH' }, { mealType: 'SNACK' }] },
    });
    const wrong = await rest(ana, 'POST', '/log', { entries: [OATS, { foodName: 'Air', calories: -1 }] });
    expect(wrong).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'entries.1.calories' }] },
    });
    expect((await rest(ana, 'GET', '/history/me')).body).toHaveLength(2);
  });

  test('the owner is the caller, who may name themselves; a body that names another user is refused', async () => {
    const [ana, ben] = [await platform.register(), await platform.register()];
    const { body } = await rest(ana, 'POST', '/log', { ...OATS, userId: ana.id });
    expect(body.userId).toBe(ana.id);
    const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };
    const bens = { ...OATS, userId: ben.id };
    expect(await rest(ana, 'POST', '/log', bens)).toMatchObject(forbidden);
    expect(await rest(ana, 'POST', '/log', { entries: [bens] })).toMatchObject(forbidden);
    expect(await rest(ana, 'PUT', `/log/${body.id}`, { userId: ben.id, calories: 1 })).toMatchObject(
      forbidden,
    );
    expect(await rest(ana, 'PUT', '/goals', { calories: 2_000, userId: ben.id })).toMatchObject(forbidden);
    await rest(ana, 'PUT', '/goals', { calories: 2_000, userId: ana.id });
    expect(await rest(ana, 'DELETE', `/goals?userId=${ben.id}`)).toMatchObject(forbidden);
    expect((await rest(ana, 'GET', '/goals')).body).toHaveLength(1);
    expect((await rest(ana, 'GET', '/history/me')).body).toHaveLength(1);
  });

  test('a change keeps absent fields; with an old version it is refused; a deleted entry is 404', async () => {
    const ana = await platform.register();
    const { body: entry } = await rest(ana, 'POST', '/log', OATS);
    const edited = await rest(ana, 'PUT', `/log/${entry.id}`, { calories: 150 }, { 'If-Match': '"1"' });
    expect(edited).toMatchObject({ status: 200, body: { ...OATS, calories: 150, version: 2 } });
    expect(edited.headers.get('etag')).toBe('"2"');
    expect(await rest(ana, 'PUT', `/log/${entry.id}`, { calories: 1 }, { 'If-Match': '"1"' })).toMatchObject({
      status: 412,
      body: { code: 'VERSION_CONFLICT' },
    });
    expect((await rest(ana, 'DELETE', `/log/${entry.id}`)).status).toBe(204);
    expect((await rest(ana, 'DELETE', `/log/${entry.id}`)).status).toBe(404);
    expect((await rest(ana, 'GET', '/history/me/daily')).body.averages.calories).toBe(0);
  });

  test('a copy is a new entry with another id, day and meal', async () => {
    const ana = await platform.register();
    const { body: entry } = await rest(ana, 'POST', '/log', { ...OATS, localDate: '2026-01-05' });
    const copy = await rest(ana, 'POST', `/log/${entry.id}/copy`, {
      localDate: '2026-02-01',
      mealType: 'DINNER',
    });
    expect(copy).toMatchObject({
      status: 201,
      body: { foodName: 'Oats', calories: 300, mealType: 'DINNER', localDate: '2026-02-01', source: 'COPY' },
    });
    expect(copy.body.id).not.toBe(entry.id);
    expect((await rest(ana, 'POST', `/log/${entry.id}/copy`)).status).toBe(201);
  });

  test('history is paged without gaps or repeats, and filtered by day and meal', async () => {
    const ana = await platform.register();
    const loggedAt = '2026-03-02T10:00:00Z'; // All have the same time, so that the id decides about their order.
    for (let index = 0; index < 7; index++)
      await rest(ana, 'POST', '/log', { ...OATS, foodName: `Food ${index}`, loggedAt, timezone: 'UTC' });
    await rest(ana, 'POST', '/log', { foodName: 'Later', calories: 1, localDate: '2026-03-04' });
    const names: string[] = [];
    for (let path: string | undefined = `/history/${ana.id}?limit=3&to=2026-03-03`; path;) {
      const page = await rest(ana, 'GET', path);
      names.push(...page.body.map((entry: { foodName: string }) => entry.foodName));
      path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `Food ${index}`));
    expect((await rest(ana, 'GET', '/history/me?mealType=lunch')).body).toEqual([]);
    for (const query of [
      'limit=0',
      'limit=x',
      'cursor=made-up',
      'from=yesterday',
      'from=2026-03-04&to=2026-03-01',
    ])
      expect(await rest(ana, 'GET', `/history/me?${query}`)).toMatchObject({ status: 400 });
  });

  test.each<[object, string]>([
    [{ calories: 1 }, 'foodName'],
    [{ foodName: 'x' }, 'calories'],
    [{ foodName: 'x', calories: 1.5 }, 'calories'],
    [{ foodName: 'x', calories: 1, protein: -1 }, 'protein'],
    [{ foodName: 'x', calories: 1, mealType: 'TEA' }, 'mealType'],
    [{ foodName: 'x', calories: 1, localDate: '2026-02-30' }, 'localDate'],
    [{ foodName: 'x', calories: 1, timezone: 'Mars/Base' }, 'timezone'],
    [{ foodName: 'x', calories: 1, loggedAt: '2026-01-05T10:00:00Z', localDate: '2026-01-08' }, 'localDate'],
    [{ entries: [] }, 'entries'],
  ])('refuses %j and names the field %s', async (body, path) => {
    const ana = await platform.demo('leo@iron.test');
    expect(await platform.rest('nutrition', 'POST', '/log', { token: ana, body })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path }] },
    });
  });
});

describe("another user's food log", () => {
  const OTHERS = ['super@demo.test', 'admin@iron.test', 'leo@iron.test', 'zoe@aqua.test'] as const;

  test.each(OTHERS)('is NOT_FOUND for %s, at every door', async (email) => {
    const owner = await platform.register();
    const { body: entry } = await rest(owner, 'POST', '/log', OATS);
    const other = { id: '', token: await platform.demo(email) };
    const calls: [string, string, unknown?][] = [
      ['GET', `/history/${owner.id}`],
      ['GET', `/history/${owner.id}/daily`],
      ['GET', `/history/${owner.id}/series`],
      ['GET', `/history/${owner.id}/chart.svg`],
      ['GET', `/history/${owner.id}/export.csv`],
      ['GET', `/log/${entry.id}`],
      ['PUT', `/log/${entry.id}`, { calories: 1 }],
      ['DELETE', `/log/${entry.id}`],
      ['POST', `/log/${entry.id}/copy`, {}],
    ];
    for (const [method, path, body] of calls)
      expect([path, await rest(other, method, path, body)]).toMatchObject([
        path,
        { status: 404, body: { code: 'NOT_FOUND' } },
      ]);
    const fields = await graph(other, OF_USER, { id: owner.id });
    expect(fields.data._entities[0]).toEqual({
      foodLogs: null,
      nutritionDay: null,
      nutritionSeries: null,
      nutritionGoal: null,
      nutritionChart: null,
      foodLogCsv: null,
    });
    expect(fields.errors?.map((error) => error.extensions.code)).toEqual(
      Array.from({ length: 6 }, () => 'NOT_FOUND'),
    );
    const reference = await graph(
      other,
      'query($id: ID!) { _entities(representations: [{ __typename: "FoodLog", id: $id }]) { ... on FoodLog { foodName } } foodLog(id: $id) { foodName } }',
      { id: entry.id },
    );
    expect(reference.data).toEqual({ _entities: [null], foodLog: null });
    expect(reference.errors?.every((error) => error.extensions.code === 'NOT_FOUND')).toBe(true);
    for (const mutation of [
      'updateFoodLog(input: { id: $id, calories: 1 }) { id }',
      'deleteFoodLog(input: { id: $id })',
      'copyFoodLog(input: { id: $id }) { id }',
    ]) {
      expect(
        (await graph(other, `mutation($id: ID!) { ${mutation} }`, { id: entry.id })).errors?.[0]?.extensions
          .code,
      ).toBe('NOT_FOUND');
    }
    expect((await rest(owner, 'GET', `/log/${entry.id}`)).body).toMatchObject(OATS);
  });

  test('is UNAUTHENTICATED without a token, at every door', async () => {
    const id = randomUUID();
    for (const [method, path] of [
      ['GET', `/history/${id}`],
      ['GET', `/history/${id}/daily`],
      ['POST', '/log'],
      ['PUT', `/log/${id}`],
      ['DELETE', `/log/${id}`],
      ['GET', '/goals'],
      ['PUT', '/goals'],
      ['POST', '/analyze'],
      ['POST', '/log/import'],
    ] as const)
      expect([path, await platform.rest('nutrition', method, path)]).toMatchObject([
        path,
        { status: 401, body: { code: 'UNAUTHENTICATED' } },
      ]);
    expect((await graph(undefined, OF_USER, { id })).errors?.map((error) => error.extensions.code)).toEqual(
      Array.from({ length: 6 }, () => 'UNAUTHENTICATED'),
    );
    expect(
      (await graph(undefined, 'mutation { logFood(input: { foodName: "x", calories: 1 }) { id } }'))
        .errors?.[0]?.extensions.code,
    ).toBe('UNAUTHENTICATED');
  });

  test('is NOT_FOUND if the user id is unknown or not a UUID', async () => {
    const ana = await platform.register();
    for (const id of [randomUUID(), 'nobody'])
      expect((await rest(ana, 'GET', `/history/${id}`)).status).toBe(404);
  });
});

describe('goals', () => {
  test('the goal of a date has priority over that of its weekday, which has priority over the default', async () => {
    const ana = await platform.register();
    await rest(ana, 'PUT', '/goals', { calories: 2_000, protein: 120, from: '2026-01-01' });
    await rest(ana, 'PUT', '/goals', { calories: 2_500, weekday: 1, from: '2026-01-01' });
    await graph(
      ana,
      'mutation { setNutritionGoal(input: { calories: 1500, date: "2026-01-12" }) { calories } }',
    );
    await rest(ana, 'POST', '/log', { ...OATS, localDate: '2026-01-05' });
    const { body } = await rest(ana, 'GET', '/history/me/daily?from=2026-01-04&to=2026-01-12');
    expect(body.days.map((day: { goal: { calories: number } }) => day.goal.calories)).toEqual([
      2_000, 2_500, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 1_500,
    ]);
    expect(body.days[1]).toMatchObject({
      date: '2026-01-05',
      totals: { calories: 300 },
      remaining: { calories: 2_200, protein: null },
      entries: [{ foodName: 'Oats' }],
    });
    expect(body).toMatchObject({ averages: { calories: 300, protein: 10.5 }, loggedDays: 1 });
    const { data } = await graph(
      ana,
      `query ($id: ID!) { _entities(representations: [{ __typename: "User", id: $id }]) { ... on User {
        date: nutritionDay(date: "2026-01-12") { goal { calories } remaining { calories } }
        weekday: nutritionDay(date: "2026-01-05") { goal { calories } remaining { calories protein } }
        other: nutritionDay(date: "2026-01-04") { goal { calories protein } remaining { calories protein } }
      } } }`,
      { id: ana.id },
    );
    expect(data._entities[0]).toEqual({
      date: { goal: { calories: 1_500 }, remaining: { calories: 1_500 } },
      weekday: { goal: { calories: 2_500 }, remaining: { calories: 2_200, protein: null } },
      other: { goal: { calories: 2_000, protein: 120 }, remaining: { calories: 2_000, protein: 120 } },
    });
    expect(
      (await rest(ana, 'GET', '/goals')).body.map((goal: { calories: number }) => goal.calories),
    ).toEqual([2_000, 2_500, 1_500]);
    expect((await rest(ana, 'DELETE', '/goals?weekday=1')).status).toBe(204);
    expect((await rest(ana, 'DELETE', '/goals?weekday=1')).status).toBe(404);
    expect(
      await rest(ana, 'PUT', '/goals', { calories: 2_000, weekday: 1, date: '2026-01-12' }),
    ).toMatchObject({ status: 400 });
    expect(await rest(ana, 'PUT', '/goals', { calories: 2_000, weekday: 8 })).toMatchObject({ status: 400 });
  });
});

describe('the food table', () => {
  test.each([
    ['banana', 'Banana'],
    ['bananna', 'Banana'],
    ['greek yog', 'Greek yogurt, nonfat'],
    ['eggs', 'Egg, hard-boiled'],
  ])('finds for "%s" the food %s', async (search, name) => {
    const { status, body } = await platform.rest(
      'nutrition',
      'GET',
      `/foods?search=${encodeURIComponent(search)}`,
    );
    expect(status).toBe(200);
    expect(body.map((food: { name: string }) => food.name).slice(0, 3)).toContain(name);
  });

  test('accepts a search of 200 characters and refuses a longer one, by REST and by the graph', async () => {
    const query = 'query ($search: String) { foods(search: $search) { nodes { id } } }';
    const longest = 'a'.repeat(200);
    expect(await platform.rest('nutrition', 'GET', `/foods?search=${longest}`)).toMatchObject({
      status: 200,
    });
    expect((await platform.graph('nutrition', query, { search: longest })).errors).toBeUndefined();
    expect(await platform.rest('nutrition', 'GET', `/foods?search=${longest}a`)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'search' }] },
    });
    expect((await platform.graph('nutrition', query, { search: `${longest}a` })).errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'search' }] } },
    ]);
  });

  test('is paged, and empty for an unknown word or category', async () => {
    const names = new Set<string>();
    let after: string | null = null;
    for (let pages = 0; pages < 20; pages++) {
      const page: GraphAnswer<{ foods: GraphPage<{ name: string }> }> = await platform.graph(
        'nutrition',
        'query($after: String) { foods(first: 200, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } } }',
        { after },
      );
      for (const { name } of page.data.foods.nodes) names.add(name);
      after = page.data.foods.pageInfo.endCursor;
      if (!page.data.foods.pageInfo.hasNextPage) break;
    }
    expect(names.size).toBeGreaterThanOrEqual(700);
    for (const query of ['search=zzzzzz', 'category=stones'])
      expect(await platform.rest('nutrition', 'GET', `/foods?${query}`)).toMatchObject({
        status: 200,
        body: [],
      });
  });
});
