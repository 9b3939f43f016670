import { setTimeout as sleep } from 'node:timers/promises';
import type { Integrator } from './integrator.ts';
import type { DayReceiver, PublicEvent } from './receiver.ts';

/** The types of the events that the CRM reads and receives. */
const TYPES = [
  'check_in.opened',
  'check_in.closed',
  'member.joined',
  'member.updated',
  'occupancy.level_changed',
  'order.changed',
];

/** How long the CRM waits for the events of a replay before it gives up. */
const GIVE_UP_MILLIS = 45_000;
/** The clocks of the platform and of the CRM differ by less than this. */
const CLOCK_MILLIS = 1_000;

/** A replay that the CRM has requested. */
export interface Replay {
  /** The ids of the events that must come again. */
  eventIds: string[];
  /** Its place among all arrivals and acceptances at the receiver. */
  requestedAs: number;
}

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
  readonly replays: Replay[] = [];
  private readonly client: Integrator;
  private readonly receiver: DayReceiver;
  private cursor = '';
  private webhookId = '';

  constructor(client: Integrator, receiver: DayReceiver) {
    this.client = client;
    this.receiver = receiver;
  }

  /** Creates the webhook, and sets the cursor of the feed after everything that has happened before. */
  async start(): Promise<void> {
    const url = await this.receiver.start();
    const created = await this.client.call('POST', '/gym/webhooks', { url, types: TYPES });
    if (created.status !== 201) throw new Error(`no webhook: ${JSON.stringify(created.body)}`);
    this.webhookId = created.body.id;
    this.receiver.secret = created.body.secret;
    this.cursor = (await this.client.call('GET', '/gym/events?after=latest')).body.next;
  }

  /** Reads the feed until `goesOn` returns false, with requests that wait for the next event. */
  async readWhile(goesOn: () => boolean): Promise<void> {
    while (goesOn()) await this.readOnce(1);
  }

  /** Reads the feed to its present end. */
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

  /** @param status only deliveries with this status are returned */
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

  /**
   * Requests that the events of a range of time are sent again. An integrator does this if their database was
   * restored from a backup, or if they do not want to wait for the next attempts, which may be hours later.
   */
  async replay(events: readonly PublicEvent[]): Promise<void> {
    const times = events.map(({ occurredAt }) => Date.parse(occurredAt));
    const range = {
      from: new Date(Math.min(...times)).toISOString(),
      to: new Date(Math.max(...times) + CLOCK_MILLIS).toISOString(),
    };
    const replay = { eventIds: events.map(({ id }) => id), requestedAs: this.receiver.places };
    const { status, body } = await this.client.call('POST', `/gym/webhooks/${this.webhookId}/replay`, range);
    if (status !== 202) throw new Error(`a replay was refused: ${status} ${JSON.stringify(body)}`);
    this.replays.push(replay);
  }

  /**
   * Waits until every event of the feed was accepted and no delivery waits.
   * @param patienceMillis the time for the platform's own attempts; afterwards the CRM requests a replay
   * @returns whether the CRM had to request a replay
   */
  async settle(patienceMillis: number): Promise<boolean> {
    const until = Date.now() + patienceMillis;
    let hasReplayed = false;
    for (;;) {
      await this.readAll();
      const missing = this.missing();
      if (missing.length === 0 && (await this.deliveries('PENDING')).length === 0) return hasReplayed;
      if (Date.now() > until + GIVE_UP_MILLIS) return hasReplayed; // the checks then say what is missing
      // Only once, because a replay begins the attempts of a delivery again.
      if (Date.now() > until && !hasReplayed) {
        await this.replay(missing.length > 0 ? missing : this.feed);
        hasReplayed = true;
      }
      await sleep(250);
    }
  }

  /** The events of the feed that the receiver has not accepted. */
  private missing(): PublicEvent[] {
    const accepted = new Set(
      this.receiver.received.filter((one) => one.acceptedAs).map(({ event }) => event.id),
    );
    return this.feed.filter(({ id }) => !accepted.has(id));
  }
}
