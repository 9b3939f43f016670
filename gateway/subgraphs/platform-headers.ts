import { forwardingProofFor, secretsOf } from '#server/auth/service-secret.ts';
import { FORWARDED_PROOF } from '#server/http/forwarding-proof.ts';
import { SERVICE_NAMES, urlOf, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';

/**
 * Headers of every request to a service of the platform: the path under which the gateway serves it, and the proof that
 * the gateway has written the forwarding headers. Subgraphs of another supergraph get neither.
 */
export class PlatformHeaders {
  /** The proof for each service; empty if the gateway serves another supergraph, whose operator has no service secret. */
  readonly proofs: ReadonlyMap<string, string>;
  private readonly byUrl: ReadonlyMap<string, Readonly<Record<string, string>>>;

  private constructor(proofs: ReadonlyMap<ServiceName, string>, settings: GatewaySettings) {
    this.proofs = proofs;
    this.byUrl = new Map(
      [...proofs].map(([name, proof]) => [
        `${urlOf(name, settings)}/graphql`,
        { 'x-forwarded-prefix': `/${name}`, [FORWARDED_PROOF]: proof },
      ]),
    );
  }

  static async read(settings: GatewaySettings): Promise<PlatformHeaders> {
    if (!isOwnSupergraph(settings)) return new PlatformHeaders(new Map(), settings);
    const { forwarding: key } = await secretsOf('gateway', settings);
    const proofs = SERVICE_NAMES.map((name) => [name, forwardingProofFor(key, name)] as const);
    return new PlatformHeaders(new Map(proofs), settings);
  }

  /** @param graphUrl the subgraph's GraphQL endpoint */
  of(graphUrl: string): Readonly<Record<string, string>> {
    return this.byUrl.get(graphUrl) ?? {};
  }
}
