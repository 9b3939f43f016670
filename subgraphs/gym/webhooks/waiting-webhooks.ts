/**
 * SQL: the body of a recursive `waiting (id)`: the webhooks with deliveries to send, before them the smallest UUID, which no
 * webhook has, and null at the end. Each webhook takes one step in the index, whatever number of its deliveries wait.
 */
export const WAITING_WEBHOOKS = `
  select '00000000-0000-0000-0000-000000000000'::uuid as id
  union all
  select (select webhook_id from webhook_delivery where status = 'PENDING' and webhook_id > waiting.id order by webhook_id limit 1)
  from waiting where waiting.id is not null`;
