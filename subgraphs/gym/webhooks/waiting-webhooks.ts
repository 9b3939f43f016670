/**
 * SQL: the body of a recursive common table expression `waiting (id)`. It returns the id of every webhook with pending
 * deliveries. The first row is a UUID that no webhook has, because the search continues after the previous id; the last row
 * is null. It reads one index entry for each webhook, so its cost does not depend on the number of deliveries.
 */
export const WAITING_WEBHOOKS = `
  select '00000000-0000-0000-0000-000000000000'::uuid as id
  union all
  select (select webhook_id from webhook_delivery where status = 'PENDING' and webhook_id > waiting.id order by webhook_id limit 1)
  from waiting where waiting.id is not null`;
