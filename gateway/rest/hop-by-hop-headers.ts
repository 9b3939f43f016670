import type { IncomingHttpHeaders } from 'node:http';

/** Headers of one connection, which no proxy passes on (RFC 9110, 7.6.1). `transfer-encoding` is left to Node, which frames anew. */
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

/** Removes them, and those that `Connection` names. */
export function removeHopByHop(headers: IncomingHttpHeaders): void {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  for (const name of [...HOP_BY_HOP, ...named]) if (!FRAMING.has(name)) delete headers[name];
}

/** A client that names these would have the message read in another way behind us than here. */
const FRAMING = new Set(['', 'transfer-encoding', 'content-length', 'host']);
