import type { IncomingMessage } from 'node:http';
import { FORWARDED_PROOF } from '#server/http/forwarding-proof.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';

/** Headers with which a client could pretend to be a proxy or a service of the platform; they are removed. */
const NOT_FROM_CLIENTS = /^(x-forwarded(-.*)?|forwarded|x-real-ip|x-on-behalf-of)$/;

interface ForwardingOptions {
  origins: RequestOrigins;
  /** The gateway's proof for the service; see `PlatformHeaders`. */
  proof: string | undefined;
  /** The path under which the gateway serves the service, such as `/gym`. */
  prefix: string;
}

/**
 * Replaces the forwarding headers of a request with the gateway's own. The services trust the gateway, so they would
 * also trust a client's header that it forwards.
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
