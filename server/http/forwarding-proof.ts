import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Carries the proof. The gateway removes it from what clients send, like all other `X-Forwarded-*`. */
export const FORWARDED_PROOF = 'x-forwarded-proof';

/**
 * By which the gateway proves to a service that the other `X-Forwarded-*` headers of a request are its own. The
 * gateway's address would not do: with everything on one machine any local program has the same one.
 */
export const forwardingProofOf = (serviceSecret: string): string =>
  createHmac('sha256', serviceSecret).update('forwarding').digest('base64url');

/** Whether a request carries that proof. */
export function hasForwardingProof(headers: IncomingHttpHeaders, proof: Buffer | undefined): boolean {
  const given = headers[FORWARDED_PROOF];
  if (given === undefined || proof === undefined) return false;
  const bytes = Buffer.from(String(given));
  return bytes.length === proof.length && timingSafeEqual(bytes, proof);
}
