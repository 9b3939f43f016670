import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { Scope } from '#server/auth/scopes.ts';
import type { ServiceName } from '#server/settings.ts';
import type { TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';

export interface PublicEvent {
  id: string;
  type: string;
  gymId: string | null;
  subject: string;
  occurredAt: string;
  data: Record<string, unknown>;
}

interface FeedPage {
  events: PublicEvent[];
  next: string;
}

/** The token of a new machine client. */
export async function clientToken(
  platform: TestPlatform,
  scopes: readonly Scope[],
  more: { gymId?: string; locationId?: string } = {},
): Promise<string> {
  const { body } = await platform.rest('identity', 'POST', '/api-clients', {
    token: await platform.demo('super@demo.test'),
    body: { name: 'Machine', scopes, gymId: DEMO_GYMS.ironTemple.id, ...more },
  });
  const { id, secret } = body as { id: string; secret: string };
  const token = await platform.rest('identity', 'POST', '/auth/token', {
    body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
  });
  return token.body.access_token as string;
}

/** A reader of a service's feed. It stores the cursor of the last answer. */
export class FeedReader {
  readonly events: PublicEvent[] = [];
  private after: string | undefined;
  private readonly platform: TestPlatform;
  private readonly service: ServiceName;
  private readonly token: string;
  private readonly query: string;

  constructor(platform: TestPlatform, service: ServiceName, token: string, query = '') {
    this.platform = platform;
    this.service = service;
    this.token = token;
    this.query = query;
  }

  /** Skips everything that was published before. */
  async latest(): Promise<this> {
    this.after = (await this.page('&after=latest')).next;
    return this;
  }

  /** Reads what is new. */
  async read(): Promise<PublicEvent[]> {
    const read: PublicEvent[] = [];
    for (;;) {
      const { events, next } = await this.page(this.after ? `&after=${encodeURIComponent(this.after)}` : '');
      this.after = next;
      read.push(...events);
      if (events.length === 0) break;
    }
    this.events.push(...read);
    return read;
  }

  /** Reads until an event matches, and returns it. */
  until(matches: (event: PublicEvent) => boolean, withinMillis?: number): Promise<PublicEvent> {
    return eventually(async () => {
      await this.read();
      return this.events.find(matches);
    }, withinMillis);
  }

  private async page(query: string): Promise<FeedPage> {
    const { status, body } = await this.platform.rest(
      this.service,
      'GET',
      `/events?limit=200${this.query}${query}`,
      { token: this.token },
    );
    if (status !== 200) throw new Error(`GET /events answered ${status}: ${JSON.stringify(body)}`);
    return body as FeedPage;
  }
}
