import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The header with the proof. The gateway removes it from clients' requests, like all other `X-Forwarded-*` headers. */
export const FORWARDED_PROOF = 'x-forwarded-proof';

/**
 * The gateway's proof to a service that the gateway itself wrote the other `X-Forwarded-*` headers of a request. The
 * gateway's address is no proof: if everything runs on one machine, any local program has the same address.
 */
export const forwardingProofOf = (serviceSecret: string): string =>
  createHmac('sha256', serviceSecret).update('forwarding').digest('base64url');

/** Whether a request has the gateway's proof. */
export function hasForwardingProof(headers: IncomingHttpHeaders, proof: Buffer | undefined): boolean {
  const given = headers[FORWARDED_PROOF];
  if (given === undefined || proof === undefined) return false;
  const bytes = Buffer.from(String(given));
  return bytes.length === proof.length && timingSafeEqual(bytes, proof);
}
