import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { uuids } from './uuids.ts';
import { SubjectOrder, type InsertedDelivery } from './subject-order.ts';

/** An event that a webhook receives. */
export interface MatchedEvent {
  webhookId: string;
  eventId: string;
  type: string;
  subject: string;
  position: number;
}

/** The most events for which deliveries are created in one transaction. */
const BATCH = 500;

/** SQL: whether a webhook receives an event. */
const MATCHES = `event.type = any(webhook.types)
  and (webhook.gym_id is null or event.gym_id is null or event.gym_id = webhook.gym_id)
  and (webhook.location_id is null or event.location_id is null or event.location_id = webhook.location_id)`;

/**
 * Creates the deliveries of the next events of the feed, in the order of the feed; returns the number of events. The cursor
 * moves in the same transaction, so each event is handled once, whatever the number of replicas is.
 */
export async function createDeliveries(unit: UnitOfWork): Promise<number> {
  return unit.transaction(async () => {
    const [cursor] = await unit.em.execute<{ position: string }[]>(
      'select position::text as position from webhook_cursor for update skip locked',
    );
    if (!cursor) return 0; // another replica creates deliveries now
    const [next] = await unit.em.execute<{ last: string | null; count: number }[]>(
      `select max(position)::text as last, count(*)::int as count
       from (select position from event where position > ?::bigint order by position limit ${BATCH}) as next`,
      [cursor.position],
    );
    if (!next?.last) return 0;
    const matched = await unit.em.execute<MatchedEvent[]>(
      `select webhook.id as "webhookId", event.id as "eventId", event.type, event.subject,
         event.position::double precision as position
       from event join webhook on ${MATCHES}
       where event.position > ?::bigint and event.position <= ?::bigint
         and webhook.active and event.position > webhook.since_position order by event.position`,
      [cursor.position, next.last],
    );
    await insertDeliveries(unit, matched, 'once');
    await unit.em.execute('update webhook_cursor set position = ?::bigint', [next.last]);
    return next.count;
  });
}

/**
 * SQL: the assignments after which a delivery is sent like a new one. If an attempt is running, it loses its claim, so that
 * its result is not written: a failure would replace the new attempt by the next one of the old schedule, or by none.
 */
export const SENT_AGAIN = `status = 'PENDING', attempt_count = 0, early_attempt_count = 0, next_attempt_at = now(),
  earliest_attempt_at = null, scheduled_at = null, held_back = false, claim = null, claimed_until = null`;

/** The most deliveries in one statement. */
const ROWS = 1_000;

/**
 * Creates deliveries, in a transaction.
 * @param matched in the order of the feed; events for a webhook that was deleted are left out
 * @param mode what happens to an event that already has a delivery: nothing (`once`), or it is sent again (`again`)
 */
export async function insertDeliveries(
  unit: UnitOfWork,
  matched: readonly MatchedEvent[],
  mode: 'once' | 'again',
): Promise<void> {
  // The webhooks are locked before their deliveries, as by the deletion of a webhook; otherwise the two could deadlock.
  const webhooks = await unit.em.execute<{ id: string }[]>(
    'select id from webhook where id = any(?::uuid[]) order by id for key share',
    [uuids([...new Set(matched.map(({ webhookId }) => webhookId))])],
  );
  const kept = new Set(webhooks.map(({ id }) => id));
  const events = matched.filter(({ webhookId }) => kept.has(webhookId));
  const onConflict = mode === 'once' ? 'nothing' : `update set ${SENT_AGAIN}`;
  const order = await SubjectOrder.lock(unit, events);
  for (let start = 0; start < events.length; start += ROWS) {
    const rows = events.slice(start, start + ROWS);
    const inserted = await unit.em.execute<InsertedDelivery[]>(
      `insert into webhook_delivery (id, webhook_id, event_id, type, subject, position, status, attempts, next_attempt_at)
       values ${rows.map(() => "(?, ?, ?, ?, ?, ?, 'PENDING', '[]', now())").join(', ')}
       on conflict (webhook_id, event_id) do ${onConflict}
       returning id, webhook_id as "webhookId", subject, position::double precision as position`,
      rows.flatMap((row) => [uuidv7(), row.webhookId, row.eventId, row.type, row.subject, row.position]),
    );
    await order.holdBack(inserted);
  }
}
