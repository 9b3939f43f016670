import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

type Member = Awaited<ReturnType<TestPlatform['register']>>;
const rest = (
  member: Pick<Member, 'token'>,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) => platform.rest('nutrition', method, path, { token: member.token, headers, ...(body && { body }) });
const graph = (member: Pick<Member, 'token'>, query: string, variables: object = {}) =>
  platform.graph('nutrition', query, variables, { token: member.token });
const idsOf = (foods: { id: string }[]) => foods.map(({ id }) => id);

const BAR = {
  name: 'Muesli bar',
  brand: 'Alpine',
  barcode: '4006381333931',
  per100g: { calories: 420, protein: 8, carbs: 60, fats: 15, fibre: 6, sugars: 22, salt: 0.3 },
  measures: [{ name: 'bar', grams: 35 }],
};

test.each([
  ['M\u{fc}sli', 'Mu\u{308}sli'],
  ['Mu\u{308}sli', 'm\u{fc}sli'],
  ['\u{30d5}\u{309a}\u{30ea}\u{30f3}', '\u{30d7}\u{30ea}\u{30f3}'],
])('a search for a food named %s finds it by the other spelling of its accents: %s', async (name, search) => {
  const ana = await platform.register();
  const { id } = (await rest(ana, 'POST', '/foods', { ...BAR, name, barcode: null })).body;
  const found = await rest(ana, 'GET', `/foods?search=${encodeURIComponent(search)}`);
  expect(idsOf(found.body)).toContain(id);
});

describe('own foods', () => {
  test('are created, read, changed and deleted only by their owner, at both doors', async () => {
    const [ana, ben] = [await platform.register(), await platform.register()];
    const made = await rest(ana, 'POST', '/foods', BAR);
    expect(made).toMatchObject({
      status: 201,
      body: { ...BAR, custom: true, version: 1, category: null, portion: null },
    });
    expect(made.headers.get('etag')).toBe('"1"');
    const path = `/foods/${made.body.id}`;
    expect((await rest(ana, 'GET', path)).body).toEqual(made.body);
    for (const [method, body] of [['GET'], ['PUT', { name: 'Mine' }], ['DELETE']] as const)
      expect([method, (await rest(ben, method, path, body)).status]).toEqual([method, 404]);
    expect((await rest(ben, 'PUT', `${path}/favourite`)).status).toBe(404);
    expect(await rest(ben, 'POST', '/log', { foodId: made.body.id, grams: 35 })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'foodId' }] },
    });
    expect(
      (await rest(ana, 'PUT', path, { brand: null, per100g: { salt: null, calories: 410 }, version: 1 }))
        .body,
    ).toMatchObject({
      name: 'Muesli bar',
      brand: null,
      per100g: { calories: 410, protein: 8, salt: null },
      version: 2,
    });
    expect((await rest(ana, 'PUT', path, { name: 'x' }, { 'If-Match': '"1"' })).status).toBe(412);
    const changed = await graph(
      ana,
      `mutation { updateFood(input: { id: "${made.body.id}", name: "Bar", per100g: { fibre: 5 } }) { name version per100g { fibre calories } measures { name grams } } }`,
    );
    expect(changed.data.updateFood).toEqual({
      name: 'Bar',
      version: 3,
      per100g: { fibre: 5, calories: 410 },
      measures: BAR.measures,
    });
    const other = await graph(ben, `mutation { deleteFood(input: { id: "${made.body.id}" }) }`);
    expect(other.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(
      (await graph(ana, `mutation { deleteFood(input: { id: "${made.body.id}", version: 3 }) }`)).data,
    ).toEqual({ deleteFood: true });
    expect((await rest(ana, 'GET', path)).status).toBe(404);
    expect((await graph(ana, `{ food(id: "${made.body.id}") { id } }`)).data).toEqual({ food: null });
    const again = await graph(
      ana,
      'mutation($input: CreateFoodInput!) { createFood(input: $input) { custom name } }',
      { input: BAR },
    );
    expect(again.data.createFood).toEqual({ custom: true, name: 'Muesli bar' });
  });

  test('have plausible values and a unique name and barcode; foods of the table cannot be changed', async () => {
    const member = await platform.register();
    for (const method of ['PUT', 'DELETE'])
      expect(
        await rest(member, method, '/foods/banana', method === 'PUT' ? { name: 'Mine' } : undefined),
      ).toMatchObject({ status: 403 });
    expect((await rest(member, 'PUT', '/foods/no-such-food', { name: 'Mine' })).status).toBe(404);
    for (const [change, path] of [
      [{ per100g: { calories: 100, fats: 90 } }, 'per100g.calories'],
      [{ per100g: { calories: 400, protein: 60, carbs: 60 } }, 'per100g'],
      [{ per100g: { calories: 1_000 } }, 'per100g.calories'],
      [{ per100g: { calories: 400, carbs: 10, sugars: 50 } }, 'per100g.sugars'],
      [{ per100g: undefined }, 'per100g'],
      [{ name: ' ' }, 'name'],
      [{ barcode: '4006381333932' }, 'barcode'],
      [
        {
          measures: [
            { name: 'bar', grams: 1 },
            { name: 'Bar', grams: 2 },
          ],
        },
        'measures',
      ],
      [{ colour: 'red' }, 'colour'],
    ] as const)
      expect(await rest(member, 'POST', '/foods', { ...BAR, ...change })).toMatchObject({
        status: 400,
        body: { errors: [{ path }] },
      });
    const answers = await Promise.all(Array.from({ length: 6 }, () => rest(member, 'POST', '/foods', BAR)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 409, 409, 409, 409, 409,
    ]);
    expect(
      (await rest(member, 'POST', '/foods', { ...BAR, name: 'MUESLI BAR', brand: 'alpine', barcode: null }))
        .status,
    ).toBe(409);
    const other = await rest(member, 'POST', '/foods', { ...BAR, name: 'Other', barcode: null });
    expect((await rest(member, 'PUT', `/foods/${other.body.id}`, { barcode: BAR.barcode })).status).toBe(409);
    expect((await rest(member, 'PUT', `/foods/${other.body.id}`, { per100g: { fats: 90 } })).status).toBe(
      400,
    );
  });

  test('are at most 1,000 for each user', async () => {
    const member = await platform.register();
    await platform.sql(
      'nutrition',
      `insert into food (id, user_id, name, calories, measures, created_at, updated_at) select gen_random_uuid(), $1, 'Food ' || n, 100, '[]', now(), now() from generate_series(1, 1000) as n`,
      [member.id],
    );
    expect(await rest(member, 'POST', '/foods', BAR)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    });
  });
});

describe('lists of foods', () => {
  test('a search finds own foods for their owner only; pages contain each food once', async () => {
    const [ana, ben] = [await platform.register(), await platform.register()];
    const { body: own } = await rest(ana, 'POST', '/foods', { ...BAR, name: 'Banana' });
    expect(idsOf((await rest(ana, 'GET', '/foods?search=banana')).body)).toContain(own.id);
    expect(idsOf((await rest(ana, 'GET', '/foods?search=alpine')).body)).toEqual([own.id]);
    expect(idsOf((await rest(ben, 'GET', '/foods?search=banana')).body)).not.toContain(own.id);
    const seen: string[] = [];
    let path: string | undefined = '/foods?search=banana&limit=1';
    while (path) {
      const page: Awaited<ReturnType<typeof rest>> = await rest(ana, 'GET', path);
      seen.push(...idsOf(page.body));
      path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(idsOf((await rest(ana, 'GET', '/foods?search=banana&limit=200')).body));
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('recent foods are those logged by id, the latest first; favourites are added and removed', async () => {
    const member = await platform.register();
    const { body: own } = await rest(member, 'POST', '/foods', BAR);
    for (const [foodId, loggedAt] of [
      ['banana', '2026-01-03T08:00:00Z'],
      [own.id, '2026-01-02T08:00:00Z'],
      ['egg_boiled', '2026-01-04T08:00:00Z'],
      ['banana', '2026-01-01T08:00:00Z'],
    ])
      expect((await rest(member, 'POST', '/log', { foodId, grams: 50, loggedAt })).status).toBe(201);
    await rest(member, 'POST', '/log', { foodName: 'Unknown', calories: 10 });
    expect(idsOf((await rest(member, 'GET', '/foods?recent=true')).body)).toEqual([
      'egg_boiled',
      'banana',
      own.id,
    ]);
    expect(idsOf((await rest(member, 'GET', '/foods?recent=true&search=banan')).body)).toEqual(['banana']);
    const first = await rest(member, 'GET', '/foods?recent=true&limit=2');
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(idsOf((await rest(member, 'GET', next)).body)).toEqual([own.id]);
    for (const id of ['banana', 'banana', own.id])
      expect((await rest(member, 'PUT', `/foods/${id}/favourite`)).status).toBe(200);
    const { data } = await graph(
      member,
      '{ foods(favourite: true) { nodes { id custom } } recent: foods(recent: true, first: 1) { nodes { id } } }',
    );
    expect(data).toEqual({
      foods: {
        nodes: [
          { id: 'banana', custom: false },
          { id: own.id, custom: true },
        ],
      },
      recent: { nodes: [{ id: 'egg_boiled' }] },
    });
    await graph(member, 'mutation { setFoodFavourite(input: { id: "banana", favourite: false }) { id } }');
    expect((await rest(member, 'DELETE', '/foods/banana/favourite')).status).toBe(200);
    expect((await rest(member, 'PUT', '/foods/no-such-food/favourite')).status).toBe(404);
    expect(idsOf((await rest(member, 'GET', '/foods?favourite=true')).body)).toEqual([own.id]);
    await rest(member, 'DELETE', `/foods/${own.id}`);
    expect((await rest(member, 'GET', '/foods?favourite=true')).body).toEqual([]);
    expect(idsOf((await rest(member, 'GET', '/foods?recent=true')).body)).toEqual(['egg_boiled', 'banana']);
    for (const query of ['recent=true', 'favourite=true'])
      expect((await platform.rest('nutrition', 'GET', `/foods?${query}`)).status).toBe(401);
    expect((await rest(member, 'GET', '/foods?recent=perhaps')).status).toBe(400);
  });

  test('names are in the language of the query, else of the profile, else of Accept-Language', async () => {
    const member = await platform.register();
    const german = (await platform.rest('nutrition', 'GET', '/foods/banana?locale=de-AT')).body.name;
    const nameOf = async (path: string, headers: Record<string, string> = {}, token?: string) =>
      (await platform.rest('nutrition', 'GET', path, { headers, ...(token && { token }) })).body.name;
    expect(await nameOf('/foods/banana')).toBe('Banana');
    expect(await nameOf('/foods/banana', { 'Accept-Language': 'it, de;q=0.8, en;q=0.5' })).toBe(german);
    await platform.rest('identity', 'PUT', '/profile', { token: member.token, body: { locale: 'de' } });
    expect(await nameOf('/foods/banana', {}, member.token)).toBe(german);
    expect(await nameOf('/foods/banana?locale=en', { 'Accept-Language': 'de' }, member.token)).toBe('Banana');
    expect((await rest(member, 'GET', '/foods?locale=x!')).status).toBe(400);
  });
});

describe('entries of a food', () => {
  test('get absent values from the food, and stay after the food was deleted', async () => {
    const member = await platform.register();
    const { body: own } = await rest(member, 'POST', '/foods', BAR);
    expect(
      (await rest(member, 'POST', '/log', { foodId: own.id, quantity: 2, unit: 'bar' })).body,
    ).toMatchObject({
      foodId: own.id,
      foodName: 'Muesli bar',
      grams: 70,
      calories: 294,
      protein: 5.6,
      carbs: 42,
      fats: 10.5,
      quantity: 2,
      unit: 'bar',
    });
    expect(
      (await rest(member, 'POST', '/log', { foodId: own.id, grams: 50, foodName: 'Half', calories: 200 }))
        .body,
    ).toMatchObject({
      foodName: 'Half',
      calories: 200,
      protein: 4,
      grams: 50,
    });
    expect((await rest(member, 'POST', '/log', { foodId: 'egg_boiled' })).body).toMatchObject({
      foodId: 'egg_boiled',
      grams: 50,
      calories: 78,
      quantity: 1,
      unit: 'piece',
    });
    for (const body of [{ foodId: own.id }, { foodId: own.id, quantity: 1, unit: 'barrel' }])
      expect(await rest(member, 'POST', '/log', body)).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'grams' }] },
      });
    for (const foodId of ['no-such-food', '01900000-0000-7000-8000-000000000009'])
      expect(await rest(member, 'POST', '/log', { entries: [{ foodId, grams: 1 }] })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'entries.0.foodId' }] },
      });
    const logged = await graph(
      member,
      `mutation { logFood(input: { foodId: "${own.id}", grams: 35 }) { id foodId foodName calories } }`,
    );
    expect(logged.data.logFood).toMatchObject({ foodId: own.id, calories: 147 });
    const path = `/log/${logged.data.logFood.id}`;
    expect((await rest(member, 'PUT', path, { grams: 70 })).body).toMatchObject({
      calories: 294,
      foodId: own.id,
    });
    expect((await rest(member, 'PUT', path, { foodId: 'egg_boiled' })).body).toMatchObject({
      foodId: 'egg_boiled',
      foodName: 'Egg, hard-boiled',
      calories: 109,
      grams: 70,
    });
    expect((await rest(member, 'PUT', path, { foodId: null })).body).toMatchObject({
      foodId: null,
      calories: 109,
    });
    const kept = (await rest(member, 'POST', '/log', { foodId: own.id, grams: 35 })).body;
    expect((await rest(member, 'POST', `/log/${kept.id}/copy`)).body).toMatchObject({
      foodId: own.id,
      calories: 147,
    });
    await rest(member, 'PUT', `/foods/${own.id}`, { per100g: { calories: 300, carbs: 40, sugars: 10 } });
    expect((await rest(member, 'GET', `/log/${kept.id}`)).body.calories).toBe(147);
    await rest(member, 'DELETE', `/foods/${own.id}`);
    expect((await rest(member, 'GET', `/log/${kept.id}`)).body).toMatchObject({
      foodId: null,
      foodName: 'Muesli bar',
      calories: 147,
    });
  });

  test('can be exported and imported again; another account gets them without the ids of foods that it may not read', async () => {
    const [ana, ben] = [await platform.register(), await platform.register()];
    const { body: own } = await rest(ana, 'POST', '/foods', BAR);
    await rest(ana, 'POST', '/log', {
      entries: [
        { foodId: own.id, grams: 35 },
        { foodId: 'banana', grams: 100 },
      ],
    });
    const csv = (await rest(ana, 'GET', '/history/me/export.csv')).body;
    const send = async (member: Member) =>
      (
        await platform.rest('nutrition', 'POST', '/log/import', {
          token: member.token,
          body: csv,
          headers: { 'Content-Type': 'text/csv' },
        })
      ).body;
    expect(await send(ana)).toMatchObject({ duplicates: 2, imported: 0, failed: 0 });
    expect(await send(ben)).toMatchObject({ imported: 2, failed: 0 });
    const foods = (await rest(ben, 'GET', '/history/me')).body.map(
      (entry: { foodId: string | null }) => entry.foodId,
    );
    expect(foods.toSorted()).toEqual(['banana', null]);
    for (const { id } of (await rest(ana, 'GET', '/history/me')).body)
      await rest(ana, 'DELETE', `/log/${id}`);
    expect(await send(ana)).toMatchObject({ imported: 2 });
    const back = (await rest(ana, 'GET', '/history/me')).body.map(
      (entry: { foodId: string | null }) => entry.foodId,
    );
    expect(new Set(back)).toEqual(new Set([own.id, 'banana']));
  });
});
