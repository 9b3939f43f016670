import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { newShop, placeOrder, setProducts, stockOf, wrongStock, type TestShop } from './shop-support.ts';
import { newMember } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
});
afterAll(() => platform.stop());

const call = (method: string, at: string, token: string, body?: object, headers?: Record<string, string>) =>
  platform.rest('gym', method, at, { token, ...(body && { body }), ...(headers && { headers }) });
const adjust = ({ gymId, productIds, staff }: TestShop, body: object, index = 0) =>
  call('POST', `/gym/${gymId}/products/${productIds[index]}/stock`, staff, body);
const movementsOf = async ({ gymId, productIds, staff }: TestShop, index = 0) =>
  (await call('GET', `/gym/${gymId}/products/${productIds[index]}/movements`, staff)).body as {
    kind: string;
    delta: number;
    stock: number;
    reason: string;
    orderId: string | null;
    actorId: string | null;
  }[];

describe("a gym's list of products", () => {
  it('keeps the stock of a product if the write does not name it, sets it to a number, and no longer counts it after null', async () => {
    const shop = await newShop(platform, [{ stock: 5 }, { stock: 7 }, { stock: 9 }]);
    const [kept, set, uncounted] = shop.productIds;
    const { body } = await setProducts(platform, shop, [
      { productId: set, stock: 2 },
      { productId: kept, price: 100, currency: 'EUR' },
      { productId: uncounted, stock: null },
    ]);
    expect(body).toMatchObject([
      { productId: set, stock: 2 },
      { productId: kept, stock: 5, price: 100 },
      { productId: uncounted, stock: null },
    ]);
    expect((await movementsOf(shop, 0)).map(({ delta }) => delta)).toEqual([5]);
    expect((await movementsOf(shop, 1)).map(({ delta }) => delta)).toEqual([-5, 7]);
    expect((await movementsOf(shop, 2)).map(({ delta, stock }) => [delta, stock])).toEqual([
      [-9, 0],
      [9, 9],
    ]);
    await setProducts(platform, shop, []);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
  });

  it('is not changed by a write that is based on an older version', async () => {
    const shop = await newShop(platform, [{ stock: 5 }]);
    const at = `/gym/${shop.gymId}/products`;
    const [productId] = shop.productIds;
    const etag = (await call('GET', at, shop.staff)).headers.get('etag') ?? '';
    const write = (headers: Record<string, string>, version?: number) =>
      call('PUT', at, shop.staff, { products: [{ productId }], ...(version && { version }) }, headers);
    const answers = await Promise.all(Array.from({ length: 5 }, () => write({ 'if-match': etag })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412, 412]);
    const { data } = await platform.graph(
      'gym',
      'query ($id: ID!) { gym(id: $id) { productsVersion } }',
      { id: shop.gymId },
      { token: shop.staff },
    );
    const { productsVersion } = data.gym;
    expect((await write({}, productsVersion - 1)).status).toBe(412);
    expect((await write({}, productsVersion)).status).toBe(200);
    const { errors } = await platform.graph(
      'gym',
      'mutation ($input: SetGymProductsInput!) { setGymProducts(input: $input) { stock } }',
      { input: { gymId: shop.gymId, products: [{ productId }], version: productsVersion } },
      { token: shop.staff },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'VERSION_CONFLICT' } }]);
    expect(await stockOf(platform, shop)).toEqual([5]);
  });

  it('is read again after each mutation of one operation', async () => {
    const shop = await newShop(platform, [{ stock: 5 }]);
    const location = (alias: string) =>
      `${alias}: createLocation(input: { gymId: $gym, name: "${alias}", timezone: "UTC", capacity: 9 }) { gym { products { stock } } }`;
    const { data } = await platform.graph(
      'gym',
      `mutation ($gym: ID!, $product: ID!) {
         ${location('before')}
         adjustStock(input: { gymId: $gym, productId: $product, delta: 3, reason: "Delivery" }) { stock }
         ${location('after')}
       }`,
      { gym: shop.gymId, product: shop.productIds[0] },
      { token: shop.staff },
    );
    expect(data).toEqual({
      before: { gym: { products: [{ stock: 5 }] } },
      adjustStock: { stock: 8 },
      after: { gym: { products: [{ stock: 8 }] } },
    });
  });

  it('has another ETag after an order, but the same version', async () => {
    const shop = await newShop(platform, [{ stock: 5 }]);
    const { token } = await newMember(platform, shop.gymId);
    const read = (etag?: string) =>
      platform.rest('gym', 'GET', `/gym/${shop.gymId}/products`, {
        token,
        headers: { 'cache-control': 'max-age=0', ...(etag && { 'if-none-match': etag }) }, // without max-age, fetch would add no-cache
      });
    const etag = (await read()).headers.get('etag') ?? '';
    expect((await read(etag)).status).toBe(304);
    await placeOrder(platform, token, [shop.productIds[0], 2]);
    const after = await read(etag);
    expect(after).toMatchObject({ status: 200, body: [{ stock: 3 }] });
    expect(after.headers.get('etag')).not.toBe(etag);
    const unchanged = { products: [{ productId: shop.productIds[0] }] };
    const put = await call('PUT', `/gym/${shop.gymId}/products`, shop.staff, unchanged, { 'if-match': etag });
    expect(put).toMatchObject({ status: 200, body: [{ stock: 3 }] });
  });

  it('is refused if it contains a product twice, also if one of the two ids is in capital letters', async () => {
    const shop = await newShop(platform, [{ stock: 5 }]);
    const [productId = ''] = shop.productIds;
    const twice = [{ productId }, { productId: productId.toUpperCase() }];
    expect((await setProducts(platform, shop, twice)).status).toBe(400);
  });
});

describe('the stock of a product', () => {
  it('is adjusted by staff with a reason, and every movement says who and why', async () => {
    const shop = await newShop(platform, [{ stock: 2 }]);
    const member = await newMember(platform, shop.gymId);
    expect(await adjust(shop, { delta: 10, reason: 'Delivery 17', kind: 'RECEIVED' })).toMatchObject({
      status: 201,
      body: { stock: 12, delta: 10, kind: 'RECEIVED' },
    });
    expect((await adjust(shop, { delta: -1, reason: 'Broken' })).body).toMatchObject({
      stock: 11,
      kind: 'CORRECTED',
    });
    const { body: order } = await placeOrder(platform, member.token, [shop.productIds[0], 4]);
    await call('PUT', `/orders/${order.id}`, shop.staff, { status: 'CANCELLED' });
    const superAdmin = (await platform.rest('identity', 'GET', '/users/me', { token: shop.staff })).body.id;
    const all = await movementsOf(shop);
    expect(
      all.map(({ kind, delta, stock, actorId, orderId }) => [kind, delta, stock, actorId, orderId]),
    ).toEqual([
      ['RETURNED', 4, 11, superAdmin, order.id],
      ['SOLD', -4, 7, member.id, order.id],
      ['CORRECTED', -1, 11, superAdmin, null],
      ['RECEIVED', 10, 12, superAdmin, null],
      ['RECEIVED', 2, 2, superAdmin, null],
    ]);
    expect(all[2]?.reason).toBe('Broken');
    const { data } = await platform.graph(
      'gym',
      `query ($gymId: ID!, $productId: ID!) { stockMovements(gymId: $gymId, productId: $productId, first: 1) {
        nodes { kind delta stock orderId actor { id } product { id } } pageInfo { hasNextPage } } }`,
      { gymId: shop.gymId, productId: shop.productIds[0] },
      { token: shop.staff },
    );
    expect(data.stockMovements).toMatchObject({
      nodes: [{ kind: 'RETURNED', delta: 4, actor: { id: superAdmin }, product: { id: shop.productIds[0] } }],
      pageInfo: { hasNextPage: true },
    });
    const audited = await platform.sql(
      'gym',
      `select count(*)::int from audit_event where gym_id = $1 and action = 'STOCK_ADJUSTED'`,
      [shop.gymId],
    );
    expect(audited).toEqual([{ count: 2 }]);
  });

  it('is never negative, and is only adjusted if the gym counts it', async () => {
    const shop = await newShop(platform, [{ stock: 3 }, { stock: null }]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => adjust(shop, { delta: -1, reason: 'Stolen' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
    expect((await adjust(shop, { delta: 1, reason: 'x' }, 1)).status).toBe(409);
    for (const [body, path] of [
      [{ delta: 0, reason: 'x' }, 'delta'],
      [{ delta: 1 }, 'reason'],
      [{ delta: -1, reason: 'x', kind: 'RECEIVED' }, 'delta'],
      [{ delta: 1, reason: 'x', kind: 'SOLD' }, 'kind'],
      [{ delta: 1_000_000, reason: 'x' }, undefined],
    ] as const) {
      const { status, body: problem } = await adjust(shop, body);
      expect([status, problem.errors?.[0]?.path]).toEqual(path ? [400, path] : [201, undefined]);
    }
    expect((await adjust(shop, { delta: 1, reason: 'x' })).status).toBe(400);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
  });

  it('is adjusted by staff of the gym only, who alone see its movements', async () => {
    const gymId = DEMO_GYMS.ironTemple.id;
    const shop = await newShop(platform, [{ stock: 3 }]);
    const iron = { ...shop, gymId };
    await setProducts(platform, iron, [{ productId: shop.productIds[0], stock: 1 }]);
    const body = { delta: 1, reason: 'x' };
    for (const [email, status] of [
      ['maya@iron.test', 403],
      ['admin@aqua.test', 403],
      ['admin@iron.test', 201],
    ] as const) {
      const as = { ...iron, staff: await platform.demo(email) };
      expect((await adjust(as, body)).status).toBe(status);
      const movements = `/gym/${gymId}/products/${shop.productIds[0]}/movements`;
      expect((await call('GET', movements, as.staff)).status).toBe(status === 201 ? 200 : 403);
      const { errors } = await platform.graph(
        'gym',
        'mutation ($input: AdjustStockInput!) { adjustStock(input: $input) { stock } }',
        { input: { gymId, productId: shop.productIds[0], ...body } },
        { token: as.staff },
      );
      expect(errors === undefined).toBe(status === 201);
    }
  });

  it('is listed to staff if it is low, the fewest pieces first', async () => {
    const shop = await newShop(platform, [{ stock: 4 }, { stock: 0 }, { stock: 5 }, { stock: null }]);
    const [four, none, five] = shop.productIds;
    const low = async (query: string) => {
      const { body, headers } = await call(
        'GET',
        `/gym/${shop.gymId}/products/low-stock${query}`,
        shop.staff,
      );
      return {
        ids: body.map(({ productId }: { productId: string }) => productId),
        link: headers.get('link'),
      };
    };
    expect((await low('')).ids).toEqual([none, four]);
    expect((await low('?below=6')).ids).toEqual([none, four, five]);
    const first = await low('?below=6&limit=2');
    const next = /<[^?]*(\?[^>]+)>/.exec(first.link ?? '')?.[1] ?? '';
    expect((await low(next)).ids).toEqual([five]);
    const { data } = await platform.graph(
      'gym',
      'query ($gymId: ID!) { lowStock(gymId: $gymId) { nodes { stock } } }',
      { gymId: shop.gymId },
      { token: shop.staff },
    );
    expect(data.lowStock.nodes).toEqual([{ stock: 0 }, { stock: 4 }]);
    const member = await newMember(platform, shop.gymId);
    expect((await call('GET', `/gym/${shop.gymId}/products/low-stock`, member.token)).status).toBe(403);
  });
});
