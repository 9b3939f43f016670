import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openFoodFacts } from '../../subgraphs/nutrition/foods/barcode-source.open-food-facts.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { onThisMachine } from '../support/slow-machine.ts';

/** A server in place of Open Food Facts, with the parts of its protocol that the service uses. Tests set its answer. */
let products: { url: string; asked: string[]; answer: (res: ServerResponse) => void; server: Server };
let platform: TestPlatform;
beforeAll(async () => {
  const server = createServer((req, res) => {
    products.asked.push(req.url ?? '');
    products.answer(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  products = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    answer: () => undefined,
  };
  platform = await startPlatform({
    services: ['identity', 'nutrition'],
    env: {
      OPEN_FOOD_FACTS_URL: products.url,
      OPEN_FOOD_FACTS_TIMEOUT_MILLIS: String(onThisMachine(1_000)),
    },
  });
});
afterAll(async () => {
  await platform.stop();
  products.server.close();
  products.server.closeAllConnections();
});
beforeEach(() => {
  products.asked = [];
  products.answer = json(404, { status: 0, status_verbose: 'product not found' });
});

const json = (status: number, body: unknown) => (res: ServerResponse) =>
  void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
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

const SPREAD = {
  status: 1,
  product: {
    product_name: 'Pâte à tartiner',
    product_name_en: 'Hazelnut spread',
    brands: 'Alpine, Other',
    serving_quantity: '15',
    nutriments: {
      'energy-kcal_100g': 539,
      proteins_100g: '6.3',
      carbohydrates_100g: 57.5,
      fat_100g: 30.9,
      sugars_100g: 56.3,
      salt_100g: 0.107,
    },
  },
};
/** Each call returns another barcode, because the service stores the products that it has found. */
let next = 0;
const newCode = (length: 12 | 13 = 13) => {
  next += 1;
  const digits = `2${String(next).padStart(length - 2, '0')}`;
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, index) => total + digit * (index % 2 ? 1 : 3), 0);
  return digits + ((10 - (sum % 10)) % 10);
};

test.each(['123', '4006381333932', 'abcdefgh', '40063813339311', '4006381333931x'])(
  'a malformed barcode is 400: %s',
  async (code) => {
    const member = await platform.register();
    expect(await rest(member, 'GET', `/foods/barcode/${code}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'code' }] },
    });
    expect((await graph(member, `{ foodByBarcode(code: "${code}") { id } }`)).errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED' } },
    ]);
    expect(products.asked).toEqual([]);
  },
);

test('an own food is found first, also if a UPC-A is given as the EAN-13 with a leading zero; an unknown barcode is 404', async () => {
  const member = await platform.register();
  const upc = newCode(12);
  const { body } = await rest(member, 'POST', '/foods', { ...BAR, barcode: upc });
  expect(body.barcode).toBe(`0${upc}`);
  for (const code of [upc, `0${upc}`])
    expect((await rest(member, 'GET', `/foods/barcode/${code}`)).body.id).toBe(body.id);
  expect(products.asked).toEqual([]);
  expect(await rest(member, 'GET', `/foods/barcode/${newCode()}`)).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect((await graph(member, `{ foodByBarcode(code: "${newCode()}") { id } }`)).data).toEqual({
    foodByBarcode: null,
  });
});

test('a product is found, stored, and logged by its id; nobody can change it', async () => {
  const [ana, ben] = [await platform.register(), await platform.register()];
  const code = newCode();
  products.answer = json(200, SPREAD);
  const { body } = await rest(ana, 'GET', `/foods/barcode/${code}`);
  expect(body).toMatchObject({
    name: 'Hazelnut spread',
    brand: 'Alpine',
    barcode: code,
    custom: false,
    measures: [{ name: 'serving', grams: 15 }],
    per100g: {
      calories: 539,
      protein: 6.3,
      carbs: 57.5,
      fats: 30.9,
      fibre: null,
      sugars: 56.3,
      salt: 0.107,
    },
  });
  expect((await rest(ben, 'GET', `/foods/barcode/${code}`)).body.id).toBe(body.id);
  expect(products.asked).toHaveLength(1);
  expect(
    (await rest(ben, 'POST', '/log', { foodId: body.id, quantity: 2, unit: 'serving' })).body,
  ).toMatchObject({ grams: 30, calories: 162 });
  expect(idsOf((await rest(ben, 'GET', '/foods?recent=true')).body)).toEqual([body.id]);
  expect((await rest(ana, 'PUT', `/foods/${body.id}`, { name: 'Mine' })).status).toBe(403);
  expect((await rest(ana, 'DELETE', `/foods/${body.id}`)).status).toBe(403);
  // After a month the service requests the product again. If the source fails, the stored product is returned.
  await platform.sql('nutrition', `update food set updated_at = now() - interval '40 days' where id = $1`, [
    body.id,
  ]);
  products.answer = json(500, {});
  expect((await rest(ana, 'GET', `/foods/barcode/${code}`)).body.id).toBe(body.id);
  expect(products.asked).toHaveLength(2);
  products.answer = json(200, SPREAD);
  expect((await rest(ana, 'GET', `/foods/barcode/${code}`)).body).toMatchObject({
    id: body.id,
    version: 2,
  });
});

test('a stored product that its source no longer has is requested once, and then not again for a month', async () => {
  const member = await platform.register();
  const code = newCode();
  products.answer = json(200, SPREAD);
  const { body } = await rest(member, 'GET', `/foods/barcode/${code}`);
  // Products without `names` are requested again, too.
  for (const change of [`updated_at = now() - interval '40 days'`, 'names = null']) {
    await platform.sql('nutrition', `update food set ${change} where id = $1`, [body.id]);
    products.answer = json(404, { status: 0, status_verbose: 'product not found' });
    products.asked = [];
    for (let time = 0; time < 2; time++)
      expect((await rest(member, 'GET', `/foods/barcode/${code}`)).body).toMatchObject({
        id: body.id,
        version: 1,
      });
    expect(products.asked).toHaveLength(1);
  }
});

test('a product has its name in the language of each request, whoever scanned it first', async () => {
  const [ana, ben] = [await platform.register(), await platform.register()];
  await platform.rest('identity', 'PUT', '/profile', { token: ben.token, body: { locale: 'de' } });
  const code = newCode();
  products.answer = json(200, { ...SPREAD, product: { ...SPREAD.product, product_name_de: ' Nusscreme ' } });
  const { body } = await rest(ana, 'GET', `/foods/barcode/${code}`);
  expect(body.name).toBe('Hazelnut spread');
  const nameFor = async (member: Member, path: string) => (await rest(member, 'GET', path)).body.name;
  expect(await nameFor(ben, `/foods/barcode/${code}`)).toBe('Nusscreme');
  expect(await nameFor(ana, `/foods/barcode/${code}?locale=de-AT`)).toBe('Nusscreme');
  expect(await nameFor(ben, `/foods/${body.id}?locale=en`)).toBe('Hazelnut spread');
  expect(await nameFor(ana, `/foods/barcode/${code}?locale=fr`)).toBe('Hazelnut spread');
  const byGraph = `{ foodByBarcode(code: "${code}") { name } food(id: "${body.id}", locale: "en") { name } }`;
  expect((await graph(ben, byGraph)).data).toEqual({
    foodByBarcode: { name: 'Nusscreme' },
    food: { name: 'Hazelnut spread' },
  });
  expect(products.asked).toHaveLength(1);
  expect((await rest(ben, 'POST', '/log', { foodId: body.id, grams: 10 })).body.foodName).toBe('Nusscreme');
  const recent = async (search: string) =>
    (await rest(ben, 'GET', `/foods?recent=true&search=${search}`)).body;
  for (const search of ['nusscreme', 'hazelnut'])
    expect(await recent(search)).toMatchObject([{ id: body.id, name: 'Nusscreme' }]);
  expect((await rest(ben, 'PUT', `/foods/${body.id}/favourite`)).body.name).toBe('Nusscreme');
});

test('a product that was stored without its names is requested again, and keeps its name if the source fails', async () => {
  const member = await platform.register();
  const code = newCode();
  products.answer = json(200, { ...SPREAD, product: { ...SPREAD.product, product_name_de: 'Nusscreme' } });
  const { body } = await rest(member, 'GET', `/foods/barcode/${code}`);
  await platform.sql('nutrition', `update food set names = null, name = 'Old name' where id = $1`, [body.id]);
  products.answer = json(500, {});
  expect((await rest(member, 'GET', `/foods/barcode/${code}?locale=de`)).body.name).toBe('Old name');
  products.answer = json(200, { ...SPREAD, product: { ...SPREAD.product, product_name_de: 'Nusscreme' } });
  expect((await rest(member, 'GET', `/foods/barcode/${code}?locale=de`)).body).toMatchObject({
    id: body.id,
    name: 'Nusscreme',
  });
});

test.each<[string, object, string]>([
  ['only in another language', { product_name_de: 'Nusscreme' }, 'Nusscreme'],
  ['in no language of the table', { product_name: 'Crema di nocciole' }, 'Crema di nocciole'],
  ['that cannot be stored in one language', { product_name_en: 'A\0', product_name: 'Spread' }, 'Spread'],
  ['of more than 200 characters', { product_name_en: `${'x'.repeat(199)}😀` }, `${'x'.repeat(199)}\ufffd`],
])('a product with a name %s is found with a usable name', async (_what, names, name) => {
  const member = await platform.register();
  const { product_name: _main, product_name_en: _english, ...unnamed } = SPREAD.product;
  products.answer = json(200, { status: 1, product: { ...unnamed, ...names } });
  const { status, body } = await rest(member, 'GET', `/foods/barcode/${newCode()}`);
  expect([status, body.name]).toEqual([200, name]);
});

test.each<[string, unknown]>([
  ['without nutrients', { status: 1, product: { product_name: 'x' } }],
  ['without a name', { status: 1, product: { ...SPREAD.product, product_name: '', product_name_en: ' ' } }],
  [
    'with impossible nutrients',
    { status: 1, product: { ...SPREAD.product, nutriments: { 'energy-kcal_100g': 5, fat_100g: 80 } } },
  ],
])('a product %s is not found', async (_what, answer) => {
  const member = await platform.register();
  products.answer = json(200, answer);
  expect((await rest(member, 'GET', `/foods/barcode/${newCode()}`)).status).toBe(404);
});

test.each([null, '', ' ', [], '12 g', 'Infinity', true, '0x10'])(
  'a nutrient that is no number is unknown, not 0, and kilojoules replace such kilocalories: %j',
  async (nothing) => {
    const member = await platform.register();
    products.answer = json(200, {
      status: 1,
      product: {
        ...SPREAD.product,
        serving_quantity: nothing,
        nutriments: {
          'energy-kcal_100g': nothing,
          energy_100g: ' 2255 ',
          proteins_100g: '6.3',
          fat_100g: '3.09e1',
          carbohydrates_100g: nothing,
          salt_100g: 0,
        },
      },
    });
    expect(await rest(member, 'GET', `/foods/barcode/${newCode()}`)).toMatchObject({
      status: 200,
      body: {
        measures: [],
        per100g: { calories: 539, protein: 6.3, fats: 30.9, carbs: null, fibre: null, salt: 0 },
      },
    });
    products.answer = json(200, {
      status: 1,
      product: { ...SPREAD.product, nutriments: { 'energy-kcal_100g': nothing } },
    });
    expect((await rest(member, 'GET', `/foods/barcode/${newCode()}`)).status).toBe(404);
  },
);

test.each(['Alp\0ine', 'Alp\ud800ine', 7, null, ' , Other'])(
  'a product with a brand that cannot be stored has none: %j',
  async (brands) => {
    const member = await platform.register();
    products.answer = json(200, { status: 1, product: { ...SPREAD.product, brands } });
    expect(await rest(member, 'GET', `/foods/barcode/${newCode()}`)).toMatchObject({
      status: 200,
      body: { name: 'Hazelnut spread', brand: null },
    });
  },
);

test.each<[string, (res: ServerResponse) => void, number, string]>([
  ['500', json(500, {}), 503, 'UPSTREAM_UNAVAILABLE'],
  ['an HTML page', (res) => void res.writeHead(200).end('<p>hello'), 503, 'UPSTREAM_UNAVAILABLE'],
  ['another shape', json(200, { product: [] }), 503, 'UPSTREAM_UNAVAILABLE'],
  ['silence', () => undefined, 504, 'UPSTREAM_TIMEOUT'],
])('a failure of the source has its error code: %s', async (_what, answer, status, code) => {
  const member = await platform.register();
  products.answer = answer;
  expect(await rest(member, 'GET', `/foods/barcode/${newCode()}`)).toMatchObject({
    status,
    body: { code },
  });
  products.answer = json(200, SPREAD);
  expect((await rest(member, 'GET', `/foods/barcode/${newCode()}`)).status).toBe(200);
});

test('a source that fails repeatedly gets no requests for some time', async () => {
  const member = await platform.register();
  products.answer = json(500, {});
  for (let time = 0; time < 5; time++) await rest(member, 'GET', `/foods/barcode/${newCode()}`);
  const asked = products.asked.length;
  const refused = await rest(member, 'GET', `/foods/barcode/${newCode()}`);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
  expect(products.asked).toHaveLength(asked);
});

test('a caller who leaves before the answer of the source is no failure of it, and no warning in the log', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const source = openFoodFacts({ url: products.url, timeoutMillis: onThisMachine(10_000), log });
  for (let time = 0; time < 6; time++) {
    const caller = new AbortController();
    products.answer = () => caller.abort();
    await expect(source.find(newCode(), caller.signal)).rejects.toThrow('does not answer');
  }
  expect(lines).toEqual([]);
  products.answer = json(200, SPREAD);
  expect(await source.find(newCode(), undefined)).toMatchObject({ name: 'Hazelnut spread' });
});
