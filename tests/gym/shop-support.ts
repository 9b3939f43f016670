import { randomUUID } from 'node:crypto';
import type { TestPlatform, Untyped } from '../support/platform.ts';

/** A new gym that lists products. */
export interface TestShop {
  gymId: string;
  productIds: string[];
  /** The token of a SUPER_ADMIN. */
  staff: string;
}

/** Creates a product that all gyms may list, and returns its id. */
export async function newProduct(platform: TestPlatform, change: object = {}): Promise<string> {
  const { body } = await platform.rest('content', 'POST', '/products', {
    token: await platform.demo('super@demo.test'),
    body: {
      name: `Bands ${randomUUID()}`,
      kind: 'MERCHANDISE',
      price: 500,
      currency: 'EUR',
      sku: randomUUID(),
      ...change,
    },
  });
  return body.id as string;
}

/** Creates a gym that lists one new product for each element of `terms`, with its stock or price. */
export async function newShop(platform: TestPlatform, terms: readonly object[]): Promise<TestShop> {
  const staff = await platform.demo('super@demo.test');
  const { body: gym } = await platform.rest('gym', 'POST', '/gyms', {
    token: staff,
    body: { name: 'Shop', slug: `shop-${randomUUID().slice(0, 8)}` },
  });
  const productIds = await Promise.all(terms.map(() => newProduct(platform)));
  const shop = { gymId: gym.id as string, productIds, staff };
  await setProducts(
    platform,
    shop,
    terms.map((term, index) => ({ productId: productIds[index], ...term })),
  );
  return shop;
}

/** Replaces the list of the shop's products. */
export const setProducts = (
  platform: TestPlatform,
  { gymId, staff }: TestShop,
  products: readonly object[],
) => platform.rest('gym', 'PUT', `/gym/${gymId}/products`, { token: staff, body: { products } });

/** The free pieces of each product, in the order of the list. */
export const stockOf = async (platform: TestPlatform, { gymId }: TestShop): Promise<(number | null)[]> =>
  (await platform.rest('gym', 'GET', `/gym/${gymId}/products`)).body.map(
    ({ stock }: { stock: number | null }) => stock,
  );

export const placeOrder = (platform: TestPlatform, token: string, ...items: [string | undefined, number][]) =>
  platform.rest('gym', 'POST', '/orders', {
    token,
    body: { items: items.map(([productId, quantity]) => ({ productId, quantity })) },
  });

/** Products whose movements do not add up to their stock, read in one statement. */
export const wrongStock = (platform: TestPlatform, gymId: string): Promise<Untyped[]> =>
  platform.sql(
    'gym',
    `select coalesce(listed.product_id, moved.product_id) as id, stock, total
     from (select product_id, coalesce(stock, 0) as stock from gym_product where gym_id = $1) as listed
     full join (select product_id, sum(delta)::int as total from stock_movement where gym_id = $1 group by 1) as moved
       using (product_id)
     where coalesce(stock, 0) <> coalesce(total, 0)`,
    [gymId],
  );
