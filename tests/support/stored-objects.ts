import { demoId, demoPerson } from '#server/demo-ids.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { TestPlatform } from './platform.ts';

/** Objects of Iron Temple and of its member Maya, by the beginning of the paths that name them. */
export const OBJECTS: Readonly<Record<string, string>> = {
  '/users/:id': demoPerson('maya@iron.test').id,
  '/users/imports/:id': demoId('101', 1),
  '/history/:userId': demoPerson('maya@iron.test').id,
  '/locations/:id': demoId('301', 1),
  '/check-ins/:id': demoId('303', 1),
  '/challenges/:id': demoId('302', 1),
  '/announcements/:id': demoId('304', 1),
  '/posts/:id': demoId('305', 1),
  '/classes/:id': demoId('309', 1),
  '/class-sessions/:id': demoId('310', 1),
  '/bookings/:id': demoId('311', 1),
  '/webhooks/:id': demoId('307', 1),
  '/orders/:id': demoId('312', 1),
  '/trainings/:id': demoId('403', 1),
  '/log/:id': demoId('410', 11),
  '/foods/:id': demoId('412', 1),
};

/** The beginning of the path that names one of the objects, e.g. `/locations/:id` of `/locations/:id/occupancy`. */
export const objectIn = ({ path }: RestRoute<never>): string | undefined => {
  const [prefix = ''] = /^(?:\/[\w-]+)+\/:\w+/.exec(path) ?? [];
  return prefix in OBJECTS ? prefix : undefined;
};

/** A delivery of the webhook. */
export const DELIVERY = demoId('308', 1);

/** Stores those of the objects that are not in the demo data: an order; a webhook that is switched off, and its delivery; a food. */
export async function storeObjects(platform: TestPlatform): Promise<void> {
  await platform.sql(
    'gym',
    `with placed as (
       insert into shop_order (id, gym_id, user_id, status, total, currency, created_at, expires_at)
       values ($1, $2, $3, 'PLACED', 500, 'EUR', now(), now() + interval '3 days') returning id
     )
     insert into shop_order_item (order_id, product_id, position, name, quantity, price, from_stock)
     select id, gen_random_uuid(), 0, 'Bands', 1, 500, false from placed`,
    [OBJECTS['/orders/:id'], DEMO_GYMS.ironTemple.id, demoPerson('maya@iron.test').id],
  );
  const webhook = OBJECTS['/webhooks/:id'];
  await platform.sql(
    'gym',
    `insert into webhook (id, gym_id, url, types, active, secret, since_position, created_at)
     values ($1, $2, 'https://example.com/', '{challenge.ended}', false, 'whsec_AAAA', 0, now())`,
    [webhook, DEMO_GYMS.ironTemple.id],
  );
  await platform.sql(
    'gym',
    `insert into webhook_delivery (id, webhook_id, event_id, type, subject, position, test_event, status, attempts)
     values ($1, $2, gen_random_uuid(), 'webhook.test', 'test', 0, '{}', 'DELIVERED', '[]')`,
    [DELIVERY, webhook],
  );
  await platform.sql(
    'nutrition',
    `insert into food (id, user_id, name, calories, measures, created_at, updated_at)
     values ($1, $2, 'Own oats', 370, '[]', now(), now())`,
    [OBJECTS['/foods/:id'], demoPerson('maya@iron.test').id],
  );
}
