import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { withoutPooler } from '#server/database/database-server.ts';
import { openDatabase } from '#server/database/database.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { database } from '../../subgraphs/gym/database.ts';
import { cancelOrdersOf } from '../../subgraphs/gym/orders/cancel-orders.ts';
import { clientToken, FeedReader } from '../events/support.ts';
import { startPlatform, type GraphAnswer, type GraphPage, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { selectsDuring } from '../support/statements.ts';
import { testRun } from '../support/test-run.ts';
import { newShop, placeOrder, stockOf, wrongStock, type TestShop } from './shop-support.ts';
import { newMember, type Member } from './support.ts';

let platform: TestPlatform;
let shop: TestShop;
let member: Member;
let other: Member;
let product: string | undefined;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
  shop = await newShop(platform, [{ stock: 1_000 }]);
  [product] = shop.productIds;
  [member, other] = [await newMember(platform, shop.gymId), await newMember(platform, shop.gymId)];
});
afterAll(() => platform.stop());

const call = (method: string, at: string, token: string, body?: object) =>
  platform.rest('gym', method, at, { token, ...(body && { body }) });
const place = async (by: Member, quantity = 1) =>
  (await placeOrder(platform, by.token, [product, quantity])).body.id as string;
const idsAt = async (at: string, token: string) => {
  const { status, body } = await call('GET', at, token);
  return status === 200 ? (body as { id: string }[]).map(({ id }) => id) : status;
};

describe('orders', () => {
  it('are listed newest first: a user sees their own, staff and machine clients see all of their gym', async () => {
    const [own, later, theirs] = [await place(member), await place(member), await place(other)];
    await call('PUT', `/orders/${later}`, shop.staff, { status: 'READY' });
    expect(await idsAt('/orders', member.token)).toEqual([later, own]);
    expect(await idsAt('/orders?status=READY', member.token)).toEqual([later]);
    expect(await idsAt('/orders?limit=1', member.token)).toEqual([later]);
    expect(await idsAt(`/orders?userId=${other.id}`, member.token)).toBe(404);
    expect(await idsAt(`/orders?userId=${member.id}`, member.token)).toEqual([later, own]);
    expect(await idsAt('/orders?status=LOST', member.token)).toBe(400);
    expect(await idsAt(`/orders?gymId=${shop.gymId}`, shop.staff)).toEqual([theirs, later, own]);
    expect(await idsAt(`/orders?gymId=${shop.gymId}&status=PLACED`, shop.staff)).toEqual([theirs, own]);
    expect(await idsAt(`/orders?userId=${other.id}`, shop.staff)).toEqual([theirs]);
    const { gymId } = shop;
    const reader = await clientToken(platform, ['orders:read'], { gymId });
    expect(await idsAt('/orders', reader)).toEqual([theirs, later, own]);
    expect(await idsAt(`/orders?userId=${member.id}&limit=1`, reader)).toEqual([later]);
    expect((await call('GET', `/orders/${own}`, reader)).status).toBe(200);
    expect(await idsAt('/orders', await clientToken(platform, ['members:read'], { gymId }))).toBe(403);
    const stranger = await clientToken(platform, ['orders:read']);
    expect((await call('GET', `/orders/${own}`, stranger)).status).toBe(404);
    for (const token of [other.token, await platform.demo('admin@iron.test')])
      expect((await call('GET', `/orders/${own}`, token)).status).toBe(404);
  });

  it('are paged in the graph as in REST', async () => {
    const buyer = await newMember(platform, shop.gymId);
    for (let i = 0; i < 5; i += 1) await place(buyer);
    const all = await idsAt('/orders', buyer.token);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: GraphAnswer<{ orders: GraphPage<{ id: string }> }> = await platform.graph(
        'gym',
        'query ($after: String) { orders(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
        { after },
        { token: buyer.token },
      );
      const { nodes, pageInfo } = page.data.orders;
      seen.push(...nodes.map(({ id }) => id));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
    expect(seen).toEqual(all);
  });

  it('of many users are read by one statement', async () => {
    const users = [member, other].map(({ id }) => ({ __typename: 'User', id }));
    const query =
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { orders(first: 2) { nodes { id userId } } } } }';
    const read = async (token: string) => platform.graph('gym', query, { of: users }, { token });
    let answer: Awaited<ReturnType<typeof read>> | undefined;
    const sent = await selectsDuring(async () => {
      answer = await read(shop.staff);
    });
    expect(sent.filter((text) => text.includes('shop_order'))).toHaveLength(1);
    const owners = answer?.data._entities.map((user: { orders: GraphPage<{ userId: string }> }) =>
      user.orders.nodes.map(({ userId }) => userId),
    );
    expect(owners).toEqual([[member.id, member.id], [other.id]]);
    const [own, theirs] = (await read(member.token)).data._entities;
    expect(own.orders.nodes).toHaveLength(2);
    expect(theirs.orders).toBeNull();
  });

  it('and their changes are events in the order in which they happened', async () => {
    const feed = await new FeedReader(platform, 'gym', shop.staff, `&gymId=${shop.gymId}`).latest();
    const id = await place(member, 2);
    await call('PUT', `/orders/${id}`, shop.staff, { status: 'READY' });
    await call('PUT', `/orders/${id}`, shop.staff, { status: 'CANCELLED' });
    await feed.read();
    const changes = feed.events.filter(({ subject }) => subject === `order/${id}`);
    expect(changes.map(({ type, data }) => [type, data.status])).toEqual([
      ['order.changed', 'PLACED'],
      ['order.changed', 'READY'],
      ['order.changed', 'CANCELLED'],
    ]);
    expect(changes[2]?.data).toEqual((await call('GET', `/orders/${id}`, member.token)).body);
    const stocks = feed.events.filter(({ subject }) => subject === `gym-product/${product}`);
    const [now] = await stockOf(platform, shop);
    expect(stocks.map(({ data }) => data.stock)).toEqual([(now ?? 0) - 2, now]);
  });

  it('that nobody has prepared are cancelled when the membership ends', async () => {
    const leaver = await newMember(platform, shop.gymId);
    const [placed, ready, left] = [await place(leaver), await place(leaver), await place(member)];
    await call('PUT', `/orders/${ready}`, shop.staff, { status: 'READY' });
    const [{ name }] = (await platform.sql('gym', 'select current_database() as name')) as [{ name: string }];
    const server = withoutPooler(testRun.current().server);
    const orm = await openDatabase(database, { server, name, migrate: false });
    try {
      const unitOf = () => new UnitOfWork(orm, ANONYMOUS, createLogger('gym', 'silent'), NO_ORIGIN);
      const counts = await Promise.all(
        Array.from({ length: 3 }, () => cancelOrdersOf(unitOf(), shop.gymId, leaver.id)),
      );
      expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
    } finally {
      await orm.close(true);
    }
    const statusOf = async (id: string) => {
      const { body } = await call('GET', `/orders/${id}`, shop.staff);
      return [body.status, body.cancelReason];
    };
    expect(await statusOf(placed)).toEqual(['CANCELLED', 'MEMBERSHIP_ENDED']);
    expect(await statusOf(ready)).toEqual(['READY', null]);
    expect(await statusOf(left)).toEqual(['PLACED', null]);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
  });

  it('are removed ten years after they were finished, with their items; open ones stay', async () => {
    const ids = [1, 2].map((last) => `00000000-0000-7000-8000-00000000000${last}`);
    for (const [id, status] of [
      [ids[0], 'COLLECTED'],
      [ids[1], 'READY'],
    ])
      await platform.sql(
        'gym',
        `with placed as (
           insert into shop_order (id, gym_id, status, total, currency, created_at, expires_at)
           values ($1, $2, $3, 1, 'EUR', now() - interval '11 years', now() + interval '1 day') returning id
         )
         insert into shop_order_item (order_id, product_id, position, name, quantity, price, from_stock)
         select id, gen_random_uuid(), 0, 'Bands', 1, 1, false from placed`,
        [id, shop.gymId, status],
      );
    await runScheduled(platform, 'gym', 'remove_old_rows');
    const left = () => platform.sql('gym', 'select id from shop_order where id = any($1) order by id', [ids]);
    await eventually(async () => (await left()).length === 1);
    expect(await left()).toEqual([{ id: ids[1] }]);
    const items = await platform.sql('gym', 'select 1 from shop_order_item where order_id = any($1)', [ids]);
    expect(items).toHaveLength(1);
  });

  it('are exported with their items, and anonymised when the account is erased; open ones are cancelled', async () => {
    const buyer = await newMember(platform, shop.gymId);
    const [collected, open] = [await place(buyer), await place(buyer, 3)];
    for (const status of ['READY', 'COLLECTED'])
      await call('PUT', `/orders/${collected}`, shop.staff, { status });
    const identity = await platform.serviceToken('identity');
    const records = await call('GET', `/accounts/${buyer.id}/records`, identity);
    expect(JSON.stringify(records.body)).toContain('Bands');
    const [before] = await stockOf(platform, shop);
    const { body } = await call('DELETE', `/accounts/${buyer.id}`, identity);
    expect(body.outcome).not.toBe('DELETED');
    expect((await stockOf(platform, shop))[0]).toBe((before ?? 0) + 3);
    const shown = await Promise.all(
      [collected, open].map(async (id) => (await call('GET', `/orders/${id}`, shop.staff)).body),
    );
    expect(shown).toMatchObject([
      { status: 'COLLECTED', userId: null },
      { status: 'CANCELLED', cancelReason: 'ACCOUNT_DELETED', userId: null },
    ]);
    expect(await wrongStock(platform, shop.gymId)).toEqual([]);
    expect((await placeOrder(platform, buyer.token, [product, 1])).status).toBe(409);
  });
});
