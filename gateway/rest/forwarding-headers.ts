import type { IncomingMessage } from 'node:http';
import { FORWARDED_PROOF } from '#server/http/forwarding-proof.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';

/** Headers by which a client could pass for a proxy or for a service of the platform: none of them is passed on. */
const NOT_FROM_CLIENTS = /^(x-forwarded(-.*)?|forwarded|x-real-ip|x-on-behalf-of)$/;

export interface ForwardingOptions {
  origins: RequestOrigins;
  /** The gateway's; see `forwardingProofOf`. */
  proof: string | undefined;
  /** The path under which the gateway serves the service, such as `/gym`. */
  prefix: string;
}

/**
 * Replaces what a request says about the client by what the gateway knows: the services trust the gateway, so
 * whatever it passed on unread would count there.
 */
export function setForwardingHeaders(
  req: IncomingMessage,
  { origins, proof, prefix }: ForwardingOptions,
): void {
  const address = origins.addressOf(req);
  const called = origins.publicAddressOf(req);
  for (const name of Object.keys(req.headers)) if (NOT_FROM_CLIENTS.test(name)) delete req.headers[name];
  req.headers['x-forwarded-for'] = address;
  req.headers['x-forwarded-host'] = called.host;
  req.headers['x-forwarded-proto'] = called.protocol;
  req.headers['x-forwarded-port'] = portOf(called.host) ?? (called.protocol === 'https' ? '443' : '80');
  req.headers['x-forwarded-prefix'] = called.prefix + prefix;
  if (proof !== undefined) req.headers[FORWARDED_PROOF] = proof;
}

const portOf = (host: string): string | undefined => /:(\d+)$/.exec(host)?.[1];
