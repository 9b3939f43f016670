import type { Untyped } from '../support/platform.ts';
import type { Member } from './support.ts';

/** How tests/gym/index-use.test.ts calls the service. */
export interface RestCalls {
  route(
    method: string,
    path: string,
    token: string,
    request?: Record<string, unknown> & { body?: object; query?: string },
  ): Promise<Untyped>;
  nextPage(path: string, token: string): Promise<void>;
}

/** Statements that insert orders, movements and reports of comments. The tables that they read are filled before. */
export const shopSeed = (gymId: string): string[] => [
  `insert into shop_order (id, gym_id, user_id, status, total, currency, created_at, expires_at)
   select gen_random_uuid(), '${gymId}', person.id, (array['PLACED', 'COLLECTED', 'CANCELLED'])[1 + status], 1, 'EUR', now(), now() + interval '1 day'
   from person, generate_series(0, 2) status`,
  `insert into shop_order (id, gym_id, user_id, status, total, currency, created_at, expires_at)
   select gen_random_uuid(), id, gen_random_uuid(), 'COLLECTED', 1, 'EUR', now(), now() from gym, generate_series(1, 3)`,
  `insert into shop_order_item (order_id, product_id, position, name, quantity, price, from_stock)
   select id, gen_random_uuid(), 0, 'Bands', 1, 1, true from shop_order`,
  `update gym_product set stock = position * 3 where position > 1`,
  `insert into gym_product_list (gym_id, version) select id, 2 from gym where id <> '${gymId}'`,
  `insert into stock_movement (id, gym_id, product_id, kind, delta, stock, reason, actor_id, created_at)
   select gen_random_uuid(), gym_id, product_id, 'CORRECTED', 0, 0, 'Counted', gen_random_uuid(), now() from gym_product`,
  `insert into comment_report (comment_id, reporter_id, post_id, gym_id, reason, created_at)
   select comment.id, gen_random_uuid(), post.id, post.gym_id, 'Rude', now() from post_comment comment join post on post.id = post_id`,
];

/** Calls the routes of orders and of the stock; the order of `other` stays open, for the erasure of their account. */
export async function useShop(
  { route, nextPage }: RestCalls,
  {
    gymId,
    productId,
    staff,
    member,
    other,
  }: { gymId: string; productId: string; staff: string; member: Member; other: Member },
): Promise<void> {
  const of = { gymId, productId };
  await route('PUT', '/gym/:gymId/products', staff, { gymId, body: { products: [{ productId, stock: 4 }] } });
  await route('POST', '/gym/:gymId/products/:productId/stock', staff, {
    ...of,
    body: { delta: 20, reason: 'Delivery' },
  });
  await route('GET', '/gym/:gymId/products/low-stock', staff, { gymId, query: '?below=100' });
  const body = { items: [{ productId, quantity: 1 }] };
  const order = await route('POST', '/orders', member.token, { body });
  await route('POST', '/orders', member.token, { body });
  await route('POST', '/orders', other.token, { body });
  await route('GET', '/gym/:gymId/products/:productId/movements', staff, of);
  await nextPage(`/gym/${gymId}/products/${productId}/movements?limit=1`, staff);
  for (const query of ['', '?status=PLACED', `?userId=${member.id}`, `?userId=${member.id}&status=PLACED`]) {
    await route('GET', '/orders', staff, { query });
    await nextPage(`/orders?limit=1${query.replace('?', '&')}`, staff);
  }
  await route('GET', '/orders', member.token);
  await nextPage('/orders?limit=1', member.token);
  await route('GET', '/orders/:id', member.token, { id: order.id });
  await route('PUT', '/orders/:id', staff, { id: order.id, body: { status: 'READY' } });
  await route('PUT', '/orders/:id', staff, { id: order.id, body: { status: 'CANCELLED' } });
}

/** Calls the routes by which staff plan challenges, change announcements and moderate posts. */
export async function useModeration(
  { route, nextPage }: RestCalls,
  { staff, member, other }: { staff: string; member: Member; other: Member },
): Promise<void> {
  const body = {
    title: 'Later',
    metric: 'CUSTOM',
    goal: 9,
    startsAt: new Date(Date.now() + 3_600_000).toISOString(),
    endsAt: new Date(Date.now() + 7_200_000).toISOString(),
  };
  const challenges = [
    await route('POST', '/challenges', staff, { body: { ...body, recurrence: 'MONTHLY' } }),
    await route('POST', '/challenges', staff, { body }),
  ];
  for (const status of ['ACTIVE', 'UPCOMING', 'ENDED']) {
    await route('GET', '/challenges', staff, { query: `?status=${status}` });
    await nextPage(`/challenges?status=${status}&limit=1`, staff);
  }
  for (const { id } of challenges) {
    await route('PUT', '/challenges/:id', staff, { id, body: { goal: 10 } });
    await route('DELETE', '/challenges/:id', staff, { id });
  }
  const news = await route('POST', '/announcements', staff, { body: { title: 'News', text: 'Text' } });
  await route('PUT', '/announcements/:id', staff, { id: news.id, body: { title: 'Changed' } });
  const { id } = await route('POST', '/posts', member.token, { body: { text: 'Hello' } });
  const comment = await route('POST', '/posts/:id/comments', other.token, { id, body: { text: 'Yes' } });
  const at = { id, commentId: comment.id };
  const reason = { reason: 'Rude' };
  await route('POST', '/posts/:id/report', other.token, { id, body: reason });
  await route('POST', '/posts/:id/comments/:commentId/report', member.token, { ...at, body: reason });
  await route('DELETE', '/posts/:id/comments/:commentId/reports', staff, at);
  await route('DELETE', '/posts/:id/reports', staff, { id });
  await route('POST', '/posts/:id/comments/:commentId/report', member.token, { ...at, body: reason });
  await route('DELETE', '/posts/:id/comments/:commentId', staff, at);
}
