import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { newShop, placeOrder, setProducts, stockOf, wrongStock, newProduct } from './shop-support.ts';
import { newMember } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'], gateway: true });
});
afterAll(() => platform.stop());

const call = (method: string, at: string, token: string, body?: object) =>
  platform.rest('gym', method, at, { token, ...(body && { body }) });
const place = (token: string, ...items: [string | undefined, number][]) =>
  placeOrder(platform, token, ...items);

describe('an order', () => {
  it('takes its pieces from the stock at once, and keeps its names and prices if they change later', async () => {
    const shop = await newShop(platform, [{ stock: 5, price: 1_999, currency: 'EUR' }, { stock: null }]);
    const [first, second] = shop.productIds;
    const member = await newMember(platform, shop.gymId);
    const { status, body, headers } = await place(member.token, [first, 1], [second, 3], [first, 1]);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/orders/${body.id}`);
    expect(headers.get('etag')).toBe('"1"');
    expect(body).toMatchObject({
      userId: member.id,
      gymId: shop.gymId,
      status: 'PLACED',
      total: 2 * 1_999 + 3 * 500,
      currency: 'EUR',
      items: [
        { productId: first, quantity: 2, price: 1_999 },
        { productId: second, quantity: 3, price: 500 },
      ],
    });
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(72 * 3_600_000);
    expect(await stockOf(platform, shop)).toEqual([3, null]);
    await setProducts(platform, shop, [{ productId: first, price: 1, currency: 'EUR' }]);
    const renamed = await platform.rest('content', 'PUT', `/products/${first}`, {
      token: shop.staff,
      body: { name: 'Renamed' },
    });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Renamed' } });
    const { data } = await platform.graph(
      'gateway',
      'query ($id: ID!) { order(id: $id) { status total items { productId name quantity price product { name } } user { id } } }',
      { id: body.id },
      { token: member.token },
    );
    const [named] = body.items;
    expect(named.name).toMatch(/^Bands /);
    expect(data.order).toMatchObject({
      total: body.total,
      user: { id: member.id },
      items: [
        { productId: first, name: named.name, price: 1_999, product: { name: 'Renamed' } },
        { productId: second, price: 500 },
      ],
    });
    expect((await call('GET', `/orders/${body.id}`, member.token)).body).toEqual(body);
  });

  it('is refused as a whole if a product is out of stock, and every such item is named', async () => {
    const shop = await newShop(platform, [{ stock: 1 }, { stock: 0 }, { stock: 9 }]);
    const [one, none, nine] = shop.productIds;
    const { token } = await newMember(platform, shop.gymId);
    expect(await place(token, [nine, 9], [one, 1], [none, 1], [one, 1])).toMatchObject({
      status: 409,
      body: {
        code: 'OUT_OF_STOCK',
        errors: [{ path: 'items.1.quantity' }, { path: 'items.3.quantity' }, { path: 'items.2.quantity' }],
      },
    });
    expect(await stockOf(platform, shop)).toEqual([1, 0, 9]);
    const { errors } = await platform.graph(
      'gym',
      'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { id } }',
      { input: { items: [{ productId: none, quantity: 1 }] } },
      { token },
    );
    expect(errors).toMatchObject([
      { extensions: { code: 'OUT_OF_STOCK', errors: [{ path: 'items.0.quantity' }] } },
    ]);
  });

  it('has only products that the gym lists, in one currency, and 1 to 99 pieces of each', async () => {
    const shop = await newShop(platform, [
      {},
      { price: 5, currency: 'USD' },
      { price: 100_000_000, currency: 'EUR' },
    ]);
    const [euro, dollar, dear] = shop.productIds;
    const { token } = await newMember(platform, shop.gymId);
    const unlisted = await newProduct(platform);
    const fieldsOf = async (...items: [string | undefined, number][]) => {
      const { status, body } = await place(token, ...items);
      return [status, ...(body.errors ?? []).map(({ path }: { path: string }) => path)];
    };
    expect(await fieldsOf([euro, 1], [unlisted, 1])).toEqual([400, 'items.1.productId']);
    expect(await fieldsOf([randomUUID(), 1])).toEqual([400, 'items.0.productId']);
    expect(await fieldsOf([euro, 1], [dollar, 1])).toEqual([400, 'items.1.productId']);
    for (const wrong of [0, -1, 1.5, 100])
      expect(await fieldsOf([euro, wrong])).toEqual([400, 'items.0.quantity']);
    expect(await fieldsOf([euro, 60], [euro, 60])).toEqual([400, 'items.0.quantity', 'items.1.quantity']);
    expect(await fieldsOf([dear, 99])).toEqual([400, 'items']);
    expect(await fieldsOf()).toEqual([400, 'items']);
    expect((await place(token, [euro?.toUpperCase(), 1])).status).toBe(201);
  });

  it('can be placed at the gateway, whose answer also has the user of identity and the products of content', async () => {
    const shop = await newShop(platform, [{ stock: 5 }]);
    const member = await newMember(platform, shop.gymId);
    const [productId] = shop.productIds;
    const { data } = await platform.graph(
      'gateway',
      `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) {
        id user { id orders(first: 1) { nodes { status } } } items { name product { name } } } }`,
      { input: { items: [{ productId, quantity: 2 }] } },
      { token: member.token },
    );
    const [item] = data.placeOrder.items;
    expect(item.product.name).toBe(item.name);
    expect(data.placeOrder.user).toEqual({ id: member.id, orders: { nodes: [{ status: 'PLACED' }] } });
    const rest = await platform.rest('gateway', 'GET', `/gym/orders/${data.placeOrder.id}`, member);
    expect(rest).toMatchObject({ status: 200, body: { items: [{ productId, quantity: 2 }] } });
  });

  it('is placed once by simultaneous requests with the same Idempotency-Key', async () => {
    const shop = await newShop(platform, [{ stock: 10 }]);
    const { token } = await newMember(platform, shop.gymId);
    const body = { items: [{ productId: shop.productIds[0], quantity: 2 }] };
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => platform.rest('gym', 'POST', '/orders', { token, body, headers })),
    );
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(await stockOf(platform, shop)).toEqual([8]);
  });

  it('is moved by staff from PLACED to READY and then COLLECTED; its owner can cancel it while it is PLACED, staff also while it is READY', async () => {
    const shop = await newShop(platform, [{ stock: 50 }]);
    const { token } = await newMember(platform, shop.gymId);
    const placed = async () => (await place(token, [shop.productIds[0], 1])).body.id as string;
    const move = async (by: string, id: string, status: string) =>
      (await call('PUT', `/orders/${id}`, by, { status })).status;
    const [a, b, c, d] = [await placed(), await placed(), await placed(), await placed()];
    expect(await move(token, a, 'READY')).toBe(403);
    expect(await move(shop.staff, a, 'COLLECTED')).toBe(409);
    expect(await move(shop.staff, a, 'PLACED')).toBe(409);
    expect(await move(shop.staff, a, 'READY')).toBe(200);
    expect(await move(shop.staff, a, 'READY')).toBe(409);
    expect(await move(token, a, 'CANCELLED')).toBe(409);
    expect(await move(shop.staff, a, 'COLLECTED')).toBe(200);
    expect(await move(shop.staff, a, 'CANCELLED')).toBe(409);
    expect(await move(token, b, 'CANCELLED')).toBe(200);
    expect(await move(token, b, 'CANCELLED')).toBe(409);
    expect(await move(shop.staff, c, 'CANCELLED')).toBe(200);
    expect(await move(shop.staff, d, 'READY')).toBe(200);
    expect(await move(shop.staff, d, 'CANCELLED')).toBe(200);
    expect(await move(shop.staff, d, 'LOST')).toBe(400);
    expect(await stockOf(platform, shop)).toEqual([49]);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
    const reasons = await Promise.all(
      [a, b, c].map(async (id) => (await call('GET', `/orders/${id}`, token)).body.cancelReason),
    );
    expect(reasons).toEqual([null, 'BY_MEMBER', 'BY_STAFF']);
    const audited = await platform.sql(
      'gym',
      `select action from audit_event where details ->> 'orderId' = $1 order by id`,
      [a],
    );
    expect(audited.map(({ action }) => action)).toEqual(['ORDER_READY', 'ORDER_COLLECTED']);
  });

  it('is changed once by writes that are based on the same version', async () => {
    const shop = await newShop(platform, [{ stock: 3 }]);
    const { token } = await newMember(platform, shop.gymId);
    const { id } = (await place(token, [shop.productIds[0], 1])).body;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        platform.rest('gym', 'PUT', `/orders/${id}`, {
          token: shop.staff,
          body: { status: i % 2 ? 'READY' : 'CANCELLED' },
          headers: { 'if-match': '"1"' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 412, 412, 412, 412, 412,
    ]);
    const { errors } = await platform.graph(
      'gym',
      'mutation ($input: UpdateOrderInput!) { updateOrder(input: $input) { version } }',
      { input: { id, status: 'CANCELLED', version: 1 } },
      { token: shop.staff },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'VERSION_CONFLICT' } }]);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
  });

  it('is cancelled by a job after its expiry, and its pieces are free again', async () => {
    const shop = await newShop(platform, [{ stock: 4 }, { stock: 4 }]);
    const { token } = await newMember(platform, shop.gymId);
    const [first, second] = shop.productIds;
    const { id } = (await place(token, [first, 2], [second, 1])).body;
    const { id: later } = (await place(token, [first, 1])).body;
    await platform.sql(
      'gym',
      `update shop_order set expires_at = now() - interval '1 second' where id = $1`,
      [id],
    );
    await Promise.all(
      Array.from({ length: 2 }, () => runScheduled(platform, 'gym', 'cancel_expired_orders')),
    );
    const cancelled = await eventually(async () => {
      const { body } = await call('GET', `/orders/${id}`, token);
      return body.status === 'CANCELLED' && body;
    });
    expect(cancelled).toMatchObject({ cancelReason: 'NOT_COLLECTED', version: 2 });
    expect((await call('GET', `/orders/${later}`, token)).body.status).toBe('PLACED');
    expect(await stockOf(platform, shop)).toEqual([3, 4]);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
  });

  it('gives back only what it took from a counted stock', async () => {
    const shop = await newShop(platform, [{ stock: null }, { stock: 5 }, { stock: 5 }]);
    const [uncounted, uncountedLater, removed] = shop.productIds;
    const { token } = await newMember(platform, shop.gymId);
    const { id } = (await place(token, [uncounted, 1], [uncountedLater, 1], [removed, 1])).body;
    await setProducts(platform, shop, [
      { productId: uncounted, stock: 7 },
      { productId: uncountedLater, stock: null },
    ]);
    expect((await call('PUT', `/orders/${id}`, token, { status: 'CANCELLED' })).status).toBe(200);
    expect(await stockOf(platform, shop)).toEqual([7, null]);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
  });

  it('cannot be placed while the content service does not answer, and then takes nothing from the stock', async () => {
    const shop = await newShop(platform, [{ stock: 2 }]);
    const { token } = await newMember(platform, shop.gymId);
    await platform.running('content').stop();
    try {
      expect(await place(token, [shop.productIds[0], 1])).toMatchObject({
        status: 503,
        body: { code: 'UPSTREAM_UNAVAILABLE' },
      });
      expect(await stockOf(platform, shop)).toEqual([2]);
    } finally {
      await platform.restart('content');
    }
  });
});
