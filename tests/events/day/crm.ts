import { setTimeout as sleep } from 'node:timers/promises';
import type { Integrator } from './integrator.ts';
import type { DayReceiver, PublicEvent } from './receiver.ts';

/** The types that the CRM reads and receives. */
const TYPES = [
  'check_in.opened',
  'check_in.closed',
  'member.joined',
  'member.updated',
  'occupancy.level_changed',
];

/** The time for replays; then something is missing. */
const GIVE_UP_MILLIS = 45_000;

/** A delivery as the platform shows it. */
export interface ShownDelivery {
  id: string;
  eventId: string;
  status: string;
  attempts: unknown[];
}

/** A CRM: reads the feed, and receives the same events by a webhook. */
export class Crm {
  /** The events of the feed, in its order. */
  readonly feed: PublicEvent[] = [];
  private readonly client: Integrator;
  private readonly receiver: DayReceiver;
  private cursor = '';
  private webhookId = '';

  constructor(client: Integrator, receiver: DayReceiver) {
    this.client = client;
    this.receiver = receiver;
  }

  /** Creates the webhook, and begins to read the feed behind what has happened before. */
  async start(): Promise<void> {
    const url = await this.receiver.start();
    const created = await this.client.call('POST', '/gym/webhooks', { url, types: TYPES });
    if (created.status !== 201) throw new Error(`no webhook: ${JSON.stringify(created.body)}`);
    this.webhookId = created.body.id;
    this.receiver.secret = created.body.secret;
    this.cursor = (await this.client.call('GET', '/gym/events?after=latest')).body.next;
  }

  /** Reads the feed while it is asked to, with requests that wait for the next event. */
  async readWhile(goesOn: () => boolean): Promise<void> {
    while (goesOn()) await this.readOnce(1);
  }

  /** Reads what the feed has now. */
  async readAll(): Promise<void> {
    while ((await this.readOnce(0)) > 0);
  }

  private async readOnce(wait: number): Promise<number> {
    const query = `types=${TYPES.join(',')}&limit=200&wait=${wait}&after=${encodeURIComponent(this.cursor)}`;
    const { status, body } = await this.client.call('GET', `/gym/events?${query}`);
    if (status !== 200) throw new Error(`the feed answered ${status}: ${JSON.stringify(body)}`);
    this.feed.push(...(body.events as PublicEvent[]));
    this.cursor = body.next;
    return body.events.length;
  }

  /** @param status only those with this status */
  async deliveries(status?: string): Promise<ShownDelivery[]> {
    const all: ShownDelivery[] = [];
    const query = `limit=200${status ? `&status=${status}` : ''}`;
    let next: string | undefined = `/gym/webhooks/${this.webhookId}/deliveries?${query}`;
    while (next) {
      const page = await this.client.call('GET', next.replace(/^https?:\/\/[^/]+/, ''));
      if (page.status !== 200)
        throw new Error(`deliveries answered ${page.status}: ${JSON.stringify(page.body)}`);
      all.push(...(page.body as ShownDelivery[]));
      next = page.next;
    }
    return all;
  }

  /** After an outage a CRM need not wait for the next attempts, which may be hours later. */
  async replayWaiting(): Promise<void> {
    for (const { id } of await this.deliveries('PENDING'))
      await this.client.call('POST', `/gym/webhooks/${this.webhookId}/deliveries/${id}/replay`);
  }

  /** Waits until nothing is to be sent. @param patienceMillis the time for the platform's own attempts; then it replays */
  async settle(patienceMillis: number): Promise<void> {
    const until = Date.now() + patienceMillis;
    for (let round = 0; ; round += 1) {
      await this.readAll();
      const sent = new Set(
        this.receiver.received.filter((one) => one.acceptedAs).map(({ event }) => event.id),
      );
      const isDone = this.feed.every(({ id }) => sent.has(id));
      if (isDone && (await this.deliveries('PENDING')).length === 0) return;
      if (Date.now() > until + GIVE_UP_MILLIS) return; // the checks then say what is missing
      // Not at every round: a replay begins the attempts of a delivery again.
      if (Date.now() > until && round % 20 === 0) await this.replayWaiting();
      await sleep(250);
    }
  }
}
