import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';
import { newShop, placeOrder, setProducts, stockOf, wrongStock } from './shop-support.ts';
import { newMember, type Member } from './support.ts';

/**
 * The requests of each test; in the first test, each of them orders one piece.
 * `ORDER_STORM_BUYERS=1000 npm test -- tests/gym/order-storm.test.ts`
 */
const REQUESTS = Number(process.env.ORDER_STORM_BUYERS ?? 60);
const PIECES = Math.ceil(REQUESTS / 10);
/**
 * The accounts that place the orders. By default there are few of them, because every registration hashes a password.
 * `ORDER_STORM_ACCOUNTS=1000` registers more.
 */
const ACCOUNTS = Number(process.env.ORDER_STORM_ACCOUNTS ?? 5);
const REGISTERED_AT_ONCE = 10;
/** The most requests that wait for their answers at the same time. */
const AT_ONCE = 250;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
});
afterAll(() => platform.stop());

const statuses = (answers: readonly RestAnswer[]): Record<number, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  );

/** Runs all calls, at most `AT_ONCE` at the same time. */
async function storm(calls: (() => Promise<RestAnswer>)[]): Promise<RestAnswer[]> {
  const answers: RestAnswer[] = [];
  const waiting = [...calls];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) answers.push(await next());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

/** Compares movements and stock in a loop while `work` runs; returns the differences, and the number of comparisons. */
async function watched(
  gymId: string,
  work: () => Promise<void>,
): Promise<{ wrong: unknown[]; comparisons: number }> {
  const wrong: unknown[] = [];
  let comparisons = 0;
  let isRunning = true;
  const reader = (async () => {
    while (isRunning) {
      wrong.push(...(await wrongStock(platform, gymId)));
      comparisons += 1;
    }
  })();
  await work();
  isRunning = false;
  await reader;
  return { wrong, comparisons };
}

async function buyers(gymId: string): Promise<Member[]> {
  const members: Member[] = [];
  while (members.length < ACCOUNTS) {
    const count = Math.min(REGISTERED_AT_ONCE, ACCOUNTS - members.length);
    members.push(...(await Promise.all(Array.from({ length: count }, () => newMember(platform, gymId)))));
  }
  return members;
}
/** The item at this index; the first item follows the last one. */
const one = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

it(`${REQUESTS} simultaneous orders sell exactly the ${PIECES} pieces that there are`, async () => {
  const shop = await newShop(platform, [{ stock: PIECES }]);
  const members = await buyers(shop.gymId);
  const [product] = shop.productIds;
  let answers: RestAnswer[] = [];
  const { wrong, comparisons } = await watched(shop.gymId, async () => {
    answers = await storm(
      Array.from(
        { length: REQUESTS },
        (_, i) => () => placeOrder(platform, one(members, i).token, [product, 1]),
      ),
    );
  });
  expect(statuses(answers)).toEqual({ 201: PIECES, 409: REQUESTS - PIECES });
  expect(await stockOf(platform, shop)).toEqual([0]);
  expect(wrong).toEqual([]);
  expect(comparisons).toBeGreaterThan(3);
  const [sold] = await platform.sql(
    'gym',
    `select sum(quantity)::int as pieces from shop_order_item join shop_order on id = order_id where gym_id = $1`,
    [shop.gymId],
  );
  expect(sold).toEqual({ pieces: PIECES });
});

it('the movements add up to the stock during simultaneous orders, cancellations, expiries, corrections, new lists and removals', async () => {
  const shop = await newShop(
    platform,
    Array.from({ length: 4 }, () => ({ stock: PIECES })),
  );
  const { gymId, productIds, staff } = shop;
  const members = await buyers(gymId);
  const removed = productIds[3];
  const [content, identity] = [
    await platform.serviceToken('content'),
    await platform.serviceToken('identity'),
  ];
  const order = (i: number) => async (): Promise<RestAnswer> => {
    const { id: buyer, token } = one(members, i);
    // Each order names its products in another sequence: transactions that locked them in this sequence would deadlock.
    const items = [0, 1, 2].map((offset): [string, number] => [one(productIds.slice(0, 3), i + offset), 1]);
    if (i % 5 === 0 && removed) items.push([removed, 1]);
    const placed = await placeOrder(platform, token, ...(i % 2 ? items : items.toReversed()));
    if (placed.status !== 201 || i % 3 === 0) return placed;
    if (i % 3 === 1) {
      await platform.sql('gym', 'update shop_order set expires_at = now() where id = $1', [placed.body.id]);
      await runScheduled(platform, 'gym', 'cancel_expired_orders');
    }
    const body = { status: 'CANCELLED' };
    const at = `/orders/${placed.body.id}`;
    if (i % 3 !== 2) return placed;
    const cancelled = await platform.rest('gym', 'PUT', at, { token, body });
    // The orders of the account that is erased meanwhile no longer have a buyer who may see them.
    return cancelled.status === 404 && buyer === members[0]?.id ? placed : cancelled;
  };
  const correct = (i: number) => () =>
    platform.rest('gym', 'POST', `/gym/${gymId}/products/${one(productIds, i)}/stock`, {
      token: staff,
      body: { delta: i % 2 ? 1 : -1, reason: 'Counted' },
    });
  const relist = (i: number) => () =>
    setProducts(
      platform,
      shop,
      productIds.map((productId, index) => ({ productId, ...(index === i % 3 && { stock: PIECES }) })),
    );
  const calls = Array.from({ length: REQUESTS }, (_, i) =>
    i % 10 === 8 ? correct(i) : i % 10 === 9 ? relist(i) : order(i),
  );
  // In the middle, the content service reports that a product was deleted, which removes it from the gym's list; and an
  // account is erased.
  calls.splice(
    REQUESTS / 2,
    0,
    () => platform.rest('gym', 'DELETE', `/references/Product/${removed}`, { token: content }),
    () => platform.rest('gym', 'DELETE', `/accounts/${members[0]?.id}`, { token: identity }),
  );
  let answers: RestAnswer[] = [];
  const { wrong } = await watched(gymId, async () => {
    answers = await storm(calls);
  });
  expect(
    answers
      .filter(({ status }) => ![200, 201, 204, 400, 409].includes(status))
      .map(({ status, body }) => [status, body]),
  ).toEqual([]);
  expect(wrong).toEqual([]);
  expect(await wrongStock(platform, gymId)).toEqual([]);
  const [negative] = await platform.sql(
    'gym',
    'select count(*)::int from stock_movement where gym_id = $1 and stock < 0',
    [gymId],
  );
  expect(negative).toEqual({ count: 0 });
  expect(Object.keys(statuses(answers))).toEqual(expect.arrayContaining(['200', '201', '204']));
});
