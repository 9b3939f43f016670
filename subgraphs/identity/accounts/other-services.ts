import { z } from 'zod';
import { ErasureResultShape, type RecordsPageShape } from '#server/accounts/account-data.ts';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { ErasureResult } from '#server/accounts/account-part.ts';
import { callsToServices, type CallsToServices } from '#server/service-calls.ts';
import { SERVICE_NAMES, type ServerSettings, type ServiceName } from '#server/settings.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';

export type OtherService = Exclude<ServiceName, 'identity'>;

/** The other services that store data about users, in the order of receipts and exports. */
export const OTHER_SERVICES = SERVICE_NAMES.filter((name): name is OtherService => name !== 'identity');

const TIMEOUT_MILLIS = 30_000; // 30 s: erasing the data of ten years takes longer than reading a row

/** The records are not validated: checking every field of a long history would take longer than reading it. */
const pageAnswer = z.object({
  records: z.array(z.unknown()),
  kinds: z.array(z.string()),
  next: z.string().nullable(),
});

/** Calls the other services for their parts of exports and deletions, with identity's own token. */
export class OtherServices {
  private readonly calls: CallsToServices;

  constructor(settings: ServerSettings, tokens: ServiceTokens) {
    this.calls = callsToServices({ settings, tokens, timeoutMillis: TIMEOUT_MILLIS });
  }

  /** Erases the data of a user in that service. Idempotent. @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT */
  async erase(service: OtherService, userId: string): Promise<ErasureResult> {
    return ErasureResultShape.parse(await this.call(service, 'DELETE', `/accounts/${userId}`));
  }

  /** A page of what the service stores about a user. @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT */
  async records(
    service: OtherService,
    userId: string,
    cursor: string | undefined,
  ): Promise<RecordsPageShape> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page = await this.call(service, 'GET', `/accounts/${userId}/records${query}`);
    return pageAnswer.parse(page) as RecordsPageShape;
  }

  dispose(): Promise<void> {
    return this.calls.close();
  }

  private call(service: OtherService, method: 'GET' | 'DELETE', path: string): Promise<unknown> {
    // A saga runs after the request that started it, so there is no origin.
    return this.calls.to(service).call({ method, path, as: 'service', origin: NO_ORIGIN });
  }
}
