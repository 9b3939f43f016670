import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { columnsOf } from '#server/database/columns.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { conflict, invalid, notFound } from '#server/errors.ts';
import type { EventShape } from '#server/events/events.shapes.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { insertDeliveries, SENT_AGAIN, type MatchedEvent } from './fan-out.ts';
import type { Webhook } from './webhook.entity.ts';
import { DeliveriesFilter, ReplayInput, WebhookDeliveryShape, type ReplayShape } from './webhooks.shapes.ts';
import type { Webhooks } from './webhooks.ts';

const cursors = cursorsOf('webhookDeliveries', z.tuple([uuid()]));
const DELIVERY = columnsOf(WebhookDeliveryShape);

const MAX_REPLAY_DAYS = 30;
/** The maximum number of events in one replay. */
const MAX_REPLAYED = 10_000;

/** The type of the event that `test` sends; it is in no feed. */
const TEST_TYPE = 'webhook.test';

/** The deliveries of webhooks, and their replay. For those who manage the webhook. */
export class WebhookDeliveries {
  private readonly unit: UnitOfWork;
  private readonly webhooks: Webhooks;
  private readonly wake: () => void;

  /** @param wake begins to send the deliveries that are due */
  constructor(unit: UnitOfWork, webhooks: Webhooks, wake: () => void) {
    this.unit = unit;
    this.webhooks = webhooks;
    this.wake = wake;
  }

  /** The deliveries of a webhook, newest first. @throws NOT_FOUND */
  async list(webhookId: string, filter: unknown, request: PageRequest): Promise<Page<WebhookDeliveryShape>> {
    await this.webhooks.load(webhookId);
    const { status } = validated(DeliveriesFilter, filter);
    const before = cursors.read(request.cursor);
    const rows = await this.unit.read<WebhookDeliveryShape>(
      `select ${DELIVERY} from webhook_delivery where webhook_id = ? ${status ? 'and status = ?' : ''}
       ${before ? 'and id < ?' : ''} order by id desc limit ?`,
      [webhookId, ...(status ? [status] : []), ...(before ?? []), pageSize(request) + 1],
    );
    return cursors.page(rows, request, ({ id }) => [id]);
  }

  /**
   * Sends one event again, with the same `webhook-id`.
   * @throws NOT_FOUND; CONFLICT if the webhook is switched off, or the event is no longer kept
   */
  async replay(webhookId: string, deliveryId: string): Promise<WebhookDeliveryShape> {
    const replayed = await this.unit.transaction(async () => {
      requireActive(await this.webhooks.locked(webhookId));
      const [found] = isUuid(deliveryId)
        ? await this.unit.em.execute<{ isKept: boolean }[]>(
            `select test_event is not null or exists (select 1 from event where event.id = event_id) as "isKept"
             from webhook_delivery where id = ? and webhook_id = ?`,
            [deliveryId, webhookId],
          )
        : [];
      if (!found) throw notFound('delivery', deliveryId);
      if (!found.isKept) throw conflict('Events are kept for 30 days, and this one is older.');
      const [delivery] = await this.unit.em.execute<WebhookDeliveryShape[]>(
        `update webhook_delivery set ${SENT_AGAIN} where id = ? returning ${DELIVERY}`,
        [deliveryId],
      );
      if (!delivery) throw notFound('delivery', deliveryId);
      return delivery;
    });
    await this.unit.afterCommit(this.wake);
    return replayed;
  }

  /**
   * Sends all events again that occurred in a period and that the webhook receives.
   * @throws NOT_FOUND; VALIDATION_FAILED for a period that is too long or has too many events; CONFLICT if the webhook is
   * switched off
   */
  async replayRange(webhookId: string, input: unknown): Promise<ReplayShape> {
    const range = validated(ReplayInput, input);
    const [from, to] = [new Date(range.from), new Date(range.to)];
    if (from >= to) throw invalid('to', 'expected a time after from');
    if (to.getTime() - from.getTime() > MAX_REPLAY_DAYS * DAY_MILLIS)
      throw invalid('to', `expected at most ${MAX_REPLAY_DAYS} days after from`);
    const count = await this.unit.transaction(async () => {
      const webhook = await this.webhooks.locked(webhookId);
      requireActive(webhook);
      const events = await eventsOf(this.unit, webhook, from, to);
      if (events.length > MAX_REPLAYED)
        throw invalid('to', `these are more than ${MAX_REPLAYED} events; send a shorter range`);
      await insertDeliveries(this.unit, events, 'again');
      return events.length;
    });
    await this.unit.afterCommit(this.wake);
    return { deliveries: count };
  }

  /** Sends a `webhook.test`, with a single attempt, also if the webhook is switched off. @throws NOT_FOUND */
  async test(webhookId: string): Promise<WebhookDeliveryShape> {
    const delivery = await this.unit.transaction(async () => {
      const { gymId = null } = await this.webhooks.locked(webhookId);
      const event: EventShape = {
        id: uuidv7(),
        type: TEST_TYPE,
        gymId,
        subject: `webhook/${webhookId}`,
        occurredAt: new Date().toISOString(),
        data: { webhookId },
      };
      const [created] = await this.unit.em.execute<WebhookDeliveryShape[]>(
        `insert into webhook_delivery (id, webhook_id, event_id, type, subject, position, test_event, status, attempts, next_attempt_at)
         values (?, ?, ?, ?, ?, 0, ?, 'PENDING', '[]', now()) returning ${DELIVERY}`,
        [uuidv7(), webhookId, event.id, event.type, `test/${event.id}`, JSON.stringify(event)],
      );
      if (!created) throw notFound('webhook', webhookId);
      return created;
    });
    await this.unit.afterCommit(this.wake);
    return delivery;
  }
}

function requireActive({ active }: Webhook): void {
  if (!active) throw conflict('This webhook is switched off; switch it on first (active: true).');
}

/** The events of a period that a webhook receives; at most one more than may be replayed, to notice an excess. */
function eventsOf(
  unit: UnitOfWork,
  { id, gymId, locationId, types }: Webhook,
  from: Date,
  to: Date,
): Promise<MatchedEvent[]> {
  const wanted = 'type = any(?::text[]) and occurred_at >= ? and occurred_at < ?';
  const values = [`{${types.join(',')}}`, from, to];
  // The events of the gym and those of no gym are two queries, so that each finds its rows by the index.
  return unit.em.execute<MatchedEvent[]>(
    `select ?::uuid as "webhookId", id as "eventId", type, subject, position::double precision as position
     from (${
       gymId
         ? `select * from event where gym_id = ? and ${wanted} union all select * from event where gym_id is null and ${wanted}`
         : `select * from event where ${wanted}`
     }) as event
     where ?::uuid is null or location_id is null or location_id = ?::uuid
     order by position limit ${MAX_REPLAYED + 1}`,
    [id, ...(gymId ? [gymId, ...values, ...values] : values), locationId ?? null, locationId ?? null],
  );
}
