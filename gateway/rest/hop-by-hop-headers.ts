import type { IncomingHttpHeaders } from 'node:http';

/** Headers of one connection, which a proxy must not forward (RFC 9110, 7.6.1). Node sets its own `transfer-encoding`. */
const HOP_BY_HOP = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
];

/** Removes the hop-by-hop headers, and those that `Connection` lists. */
export function removeHopByHop(headers: IncomingHttpHeaders): void {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  for (const name of [...HOP_BY_HOP, ...named]) if (!FRAMING.has(name)) delete headers[name];
}

/** Not removed even if `Connection` lists them: without them the service could find another end of the message. */
const FRAMING = new Set(['', 'transfer-encoding', 'content-length', 'host']);
