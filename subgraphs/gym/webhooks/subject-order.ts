import type { UnitOfWork } from '#server/unit-of-work.ts';
import { uuids } from './uuids.ts';

/** A delivery of a subject. */
export interface OfSubject {
  webhookId: string;
  subject: string;
}

export interface InsertedDelivery extends OfSubject {
  id: string;
  position: number;
}

/** SQL: the ids of the first PENDING deliveries of the given subjects. Its parameter is the result of `subjectsOf`. */
const FIRST_OF_SUBJECTS = `
  select first.id from jsonb_to_recordset(?::jsonb) as given ("webhookId" uuid, subject text) cross join lateral (
    select id from webhook_delivery as delivery
    where delivery.webhook_id = given."webhookId" and delivery.subject = given.subject and delivery.status = 'PENDING'
    order by delivery.position limit 1) as first`;

/**
 * Holds new deliveries back while an earlier one of their subject is PENDING. Otherwise every claim would read all of them,
 * which takes 97 ms for 10,000 deliveries of one subject instead of 0.3 ms.
 *
 * The first deliveries are locked before the new ones are written. So a transaction that ends a first delivery has either
 * been committed, and the new delivery is not held back; or it waits for the lock, and then releases the new delivery.
 */
export class SubjectOrder {
  private readonly unit: UnitOfWork;
  /** The position of the first PENDING delivery of each subject. */
  private readonly first: Map<string, number>;

  private constructor(unit: UnitOfWork, first: Map<string, number>) {
    this.unit = unit;
    this.first = first;
  }

  /** Locks the first PENDING deliveries of these subjects until the transaction ends. */
  static async lock(unit: UnitOfWork, deliveries: readonly OfSubject[]): Promise<SubjectOrder> {
    const locked = await unit.em.execute<InsertedDelivery[]>(
      `select id, webhook_id as "webhookId", subject, position::double precision as position from webhook_delivery
       where id in (${FIRST_OF_SUBJECTS}) and status = 'PENDING' order by id for share`,
      [subjectsOf(deliveries)],
    );
    return new SubjectOrder(unit, new Map(locked.map((one) => [keyOf(one), one.position])));
  }

  /** Marks those deliveries of this transaction that are not the first of their subjects. */
  async holdBack(inserted: readonly InsertedDelivery[]): Promise<void> {
    const held: string[] = [];
    for (const delivery of inserted.toSorted((a, b) => a.position - b.position)) {
      const first = this.first.get(keyOf(delivery)) ?? Infinity;
      if (first < delivery.position) held.push(delivery.id);
      else this.first.set(keyOf(delivery), delivery.position);
    }
    if (held.length > 0)
      await this.unit.em.execute('update webhook_delivery set held_back = true where id = any(?::uuid[])', [
        uuids(held),
      ]);
  }
}

/**
 * Releases the next delivery of each of these subjects. Call it in the transaction that has ended deliveries. It is a
 * separate, later statement, so that it also finds rows that were committed while the earlier statement waited for locks.
 */
export async function releaseNext(unit: UnitOfWork, ended: readonly OfSubject[]): Promise<void> {
  if (ended.length > 0)
    await unit.em.execute(
      `update webhook_delivery set held_back = false where id = any(array(
         select id from webhook_delivery where id in (${FIRST_OF_SUBJECTS}) and held_back order by id for no key update))`,
      [subjectsOf(ended)],
    );
}

/**
 * Releases first deliveries that are still held back. During an upgrade, a process of the previous release ends deliveries
 * without releasing the next one; nothing more of the subject would then be sent. It reads one index entry for each subject.
 */
export async function releaseForgotten(unit: UnitOfWork): Promise<void> {
  await unit.em.execute(
    `with recursive first as (
       (select id, webhook_id, subject, held_back from webhook_delivery where status = 'PENDING'
        order by webhook_id, subject, position limit 1)
       union all
       select next.* from first cross join lateral (
         select id, webhook_id, subject, held_back from webhook_delivery
         where status = 'PENDING' and (webhook_id, subject) > (first.webhook_id, first.subject)
         order by webhook_id, subject, position limit 1) as next
     )
     update webhook_delivery set held_back = false where id = any(array(
       select id from webhook_delivery
       where id in (select id from first where held_back) and held_back and status = 'PENDING' order by id for no key update))`,
  );
}

const keyOf = ({ webhookId, subject }: OfSubject): string => `${webhookId} ${subject}`;

/** The subjects of the deliveries as JSON, each once. */
const subjectsOf = (deliveries: readonly OfSubject[]): string =>
  JSON.stringify(
    [...new Map(deliveries.map((one) => [keyOf(one), one])).values()].map(({ webhookId, subject }) => ({
      webhookId,
      subject,
    })),
  );
