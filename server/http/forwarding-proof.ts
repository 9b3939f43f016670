import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { forwardingKeyOf, ownSecretIn, installationSecretOf, secretsOf } from '../auth/service-secret.ts';
import type { ServerSettings, ServiceName } from '../settings.ts';

/**
 * The header with the gateway's proof to a service that the gateway itself wrote the other `X-Forwarded-*` headers of a
 * request. The gateway's address is no proof: if everything runs on one machine, any local program has the same address.
 * The gateway removes the header from clients' requests, like all other `X-Forwarded-*` headers.
 */
export const FORWARDED_PROOF = 'x-forwarded-proof';

/**
 * The proofs that a service accepts: its own; and, if it knows the installation's secret, the proof that a gateway of the last
 * release without own secrets sends to all services, so that services can be upgraded before the gateway.
 */
export async function forwardingProofsAt(
  service: ServiceName,
  settings: Pick<ServerSettings, 'serviceSecret' | 'dataDir'>,
): Promise<string[]> {
  const { forwarding } = await secretsOf(service, settings);
  return ownSecretIn(settings.serviceSecret)
    ? [forwarding]
    : [forwarding, forwardingKeyOf(await installationSecretOf(settings))];
}

/** Whether a request has one of these proofs. */
export function hasForwardingProof(headers: IncomingHttpHeaders, proofs: readonly Buffer[]): boolean {
  const given = headers[FORWARDED_PROOF];
  if (given === undefined) return false;
  const bytes = Buffer.from(String(given));
  return proofs.some((proof) => bytes.length === proof.length && timingSafeEqual(bytes, proof));
}
