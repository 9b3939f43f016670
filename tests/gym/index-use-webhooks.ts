import type { RestCalls } from './index-use-shop.ts';

/** Calls every route of webhooks. */
export async function useWebhooks(
  { route, nextPage }: RestCalls,
  { staff, superAdmin }: { staff: string; superAdmin: string },
): Promise<void> {
  const hook = await route('POST', '/webhooks', staff, {
    body: { url: 'https://192.0.2.2.example/', types: ['check_in.opened'] },
  });
  await route('GET', '/webhooks', staff);
  await nextPage('/webhooks?limit=1', superAdmin);
  await route('GET', '/webhooks/:id', staff, hook);
  await route('PUT', '/webhooks/:id', staff, { ...hook, body: { description: 'CRM' } });
  await route('POST', '/webhooks/:id/rotate-secret', staff, hook);
  const sentNow = await route('POST', '/webhooks/:id/test', staff, hook);
  await route('POST', '/webhooks/:id/replay', staff, {
    ...hook,
    body: {
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date(Date.now() - 59_000).toISOString(),
    },
  });
  await route('GET', '/webhooks/:id/deliveries', staff, hook);
  await route('GET', '/webhooks/:id/deliveries', staff, { ...hook, query: '?status=PENDING' });
  await route('POST', '/webhooks/:id/deliveries/:deliveryId/replay', staff, {
    ...hook,
    deliveryId: sentNow.id,
  });
  await route('DELETE', '/webhooks/:id', staff, hook);
}
