import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver, type Answering, type ReceivedRequest, type Receiver } from '../support/receiver.ts';
import { checkIn, newLocation, newMember } from '../gym/support.ts';

interface CreatedWebhook {
  id: string;
  secret: string;
}

interface StoredDelivery {
  id: string;
  eventId: string;
  status: string;
  nextAttemptAt: string | null;
  attempts: { statusCode: number | null; answer: string | null; error: string | null }[];
}

/** A platform for the tests of a file about webhooks. Each test begins without webhooks and receivers. */
export class WebhookTests {
  platform!: TestPlatform;
  /** The tokens of a GYM_ADMIN of the demo gym, and of a SUPER_ADMIN. */
  staff!: string;
  superAdmin!: string;
  private readonly receivers: Receiver[] = [];

  constructor() {
    beforeAll(async () => {
      this.platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
      this.staff = await this.platform.demo('admin@iron.test');
      this.superAdmin = await this.platform.demo('super@demo.test');
    });
    afterEach(async () => {
      await this.platform.sql('gym', 'delete from webhook', []);
      await Promise.all(this.receivers.splice(0).map((one) => one.stop()));
    });
    afterAll(() => this.platform.stop());
  }

  readonly receiver = async (answering?: Answering): Promise<Receiver> => {
    const started = await startReceiver(answering);
    this.receivers.push(started);
    return started;
  };

  readonly call = (method: string, at: string, body?: object, token = this.staff): Promise<RestAnswer> =>
    this.platform.rest('gym', method, at, { token, ...(body && { body }) });

  /** Creates a webhook, by default for `check_in.opened`. */
  readonly webhook = async (url: string, more: object = {}, token = this.staff): Promise<CreatedWebhook> => {
    const input = { url, types: ['check_in.opened'], ...more };
    const { status, body } = await this.call('POST', '/webhooks', input, token);
    if (status !== 201) throw new Error(`no webhook was created: ${status} ${JSON.stringify(body)}`);
    return body as CreatedWebhook;
  };

  /** Checks a new member in, and returns the visit's id. */
  readonly visit = async (locationId?: string): Promise<string> => {
    const member = await newMember(this.platform);
    const at = locationId ?? (await newLocation(this.platform, this.staff));
    const { body } = await checkIn(this.platform, member.token, { qrCode: member.qrCode, locationId: at });
    return body.id as string;
  };

  /** The requests of a receiver, once it has got so many. */
  readonly got = (to: Receiver, count: number): Promise<ReceivedRequest[]> =>
    eventually(async () => to.requests.length >= count && to.requests);

  readonly deliveriesOf = async (id: string): Promise<StoredDelivery[]> =>
    (await this.call('GET', `/webhooks/${id}/deliveries?limit=200`)).body as StoredDelivery[];

  /** The newest delivery of a webhook, once it has at least so many attempts. The second attempt follows after 5 s. */
  readonly attempted = (id: string, count: number): Promise<StoredDelivery> =>
    eventually(async () => {
      const [delivery] = await this.deliveriesOf(id);
      return delivery && delivery.attempts.length >= count && delivery;
    });

  /** The deliveries of a webhook, once there are exactly so many and all of them are DELIVERED. */
  readonly settled = (id: string, count: number): Promise<StoredDelivery[]> =>
    eventually(async () => {
      const list = await this.deliveriesOf(id);
      return list.length === count && list.every(({ status }) => status === 'DELIVERED') && list;
    });

  /** Makes the next attempts due now: those of all waiting deliveries, or of those that have had so many attempts. */
  readonly makeDue = async (afterAttempts?: number): Promise<void> => {
    await this.platform.sql(
      'gym',
      `update webhook_delivery set next_attempt_at = now()
       where status = 'PENDING' and attempt_count = coalesce($1::int, attempt_count)`,
      [afterAttempts ?? null],
    );
    await runScheduled(this.platform, 'gym', 'send_webhooks');
  };
}
