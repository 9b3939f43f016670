import { serviceSecretOf } from '#server/auth/service-secret.ts';
import { FORWARDED_PROOF, forwardingProofOf } from '#server/http/forwarding-proof.ts';
import { SERVICE_NAMES, urlOf } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';

/**
 * Headers of every request to a service of the platform: the path under which the gateway serves it, and the proof that
 * the gateway has written the forwarding headers. Subgraphs of another supergraph get neither.
 */
export class PlatformHeaders {
  /** Absent if the gateway serves another supergraph, whose operator has no service secret. */
  readonly proof: string | undefined;
  private readonly byUrl: ReadonlyMap<string, Readonly<Record<string, string>>>;

  private constructor(proof: string | undefined, settings: GatewaySettings) {
    this.proof = proof;
    this.byUrl = new Map(
      proof === undefined
        ? []
        : SERVICE_NAMES.map((name) => [
            `${urlOf(name, settings)}/graphql`,
            { 'x-forwarded-prefix': `/${name}`, [FORWARDED_PROOF]: proof },
          ]),
    );
  }

  static async read(settings: GatewaySettings): Promise<PlatformHeaders> {
    const isOwn = isOwnSupergraph(settings);
    return new PlatformHeaders(
      isOwn ? forwardingProofOf(await serviceSecretOf(settings)) : undefined,
      settings,
    );
  }

  /** @param graphUrl the subgraph's GraphQL endpoint */
  of(graphUrl: string): Readonly<Record<string, string>> {
    return this.byUrl.get(graphUrl) ?? {};
  }
}
