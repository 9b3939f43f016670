import { z } from 'zod';
import { VerdictShape, type RecordsPageShape } from '#server/accounts/account-data.ts';
import type { Verdict } from '#server/accounts/account-part.ts';
import { serviceCalls, type ServiceCalls } from '#server/service-calls.ts';
import { SERVICE_NAMES, urlOf, type ServerSettings, type ServiceName } from '#server/settings.ts';
import { NOWHERE } from '#server/unit-of-work.ts';
import type { AccessTokens } from '../sessions/access-tokens.ts';

export type OtherService = Exclude<ServiceName, 'identity'>;

/** Those that keep data of people, too; in the order in which receipts and exports name them. */
export const OTHER_SERVICES = SERVICE_NAMES.filter((name): name is OtherService => name !== 'identity');

const TIMEOUT_MILLIS = 30_000; // 30 s: erasing ten years takes longer than a look

/** The records themselves are passed on unread: looking at every field of a long life would take longer than fetching it. */
const pageAnswer = z.object({
  records: z.array(z.unknown()),
  kinds: z.array(z.string()),
  next: z.string().nullable(),
});

/** The parts of the other services in exports and deletions, asked for in identity's own name. */
export class OtherServices {
  private readonly settings: ServerSettings;
  private readonly tokens: AccessTokens;
  private readonly calls = new Map<OtherService, ServiceCalls>();

  constructor(settings: ServerSettings, tokens: AccessTokens) {
    this.settings = settings;
    this.tokens = tokens;
  }

  /** @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT; harmless when repeated */
  async erase(service: OtherService, userId: string): Promise<Verdict> {
    return VerdictShape.parse(await this.call(service, 'DELETE', `/accounts/${userId}`));
  }

  /** A page of what the service keeps of a user. @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT */
  async records(
    service: OtherService,
    userId: string,
    cursor: string | undefined,
  ): Promise<RecordsPageShape> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page = await this.call(service, 'GET', `/accounts/${userId}/records${query}`);
    return pageAnswer.parse(page) as RecordsPageShape;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.calls.values()].map((calls) => calls.close()));
  }

  private call(service: OtherService, method: 'GET' | 'DELETE', path: string): Promise<unknown> {
    const calls =
      this.calls.get(service) ??
      serviceCalls({
        name: service,
        url: urlOf(service, this.settings),
        // Made here rather than asked for over the network of ourselves.
        tokens: { get: async () => this.tokens.ofService('identity') },
        timeoutMillis: TIMEOUT_MILLIS,
      });
    this.calls.set(service, calls);
    // The request that it belongs to is over by then.
    return calls.call({ method, path, as: 'service', origin: NOWHERE });
  }
}
