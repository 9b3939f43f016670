import type { IncomingMessage } from 'node:http';
import type { RequestOrigins } from './http/request-origin.ts';

// Placeholders in the documents of the API, which every answer replaces with the address of its request.

/** The URL of the server, with the gateway's prefix, without a slash at the end. */
export const SERVER_URL = '{{server}}';
/** The URL of the identity service, where machine clients get their tokens. */
export const IDENTITY_URL = '{{identity}}';
/** Host and port. */
export const SERVER_HOST = '{{host}}';
/** The path below which the gateway serves the service; empty at the service's own port. */
export const SERVER_PREFIX = '{{prefix}}';
/** `ws` or `wss`. */
export const SOCKET_PROTOCOL = '{{socket-protocol}}';

const PLACEHOLDER = /\{\{(?:server|identity|host|prefix|socket-protocol)\}\}/;

/**
 * A function that fills the placeholders of a document for one request. The document is split once, because a search in a
 * megabyte for each request would take milliseconds.
 * @param identityUrl the identity service, for requests that have not come through the gateway
 */
export function documentFor(text: string, origins: RequestOrigins, identityUrl: string) {
  const texts = text.split(new RegExp(PLACEHOLDER, 'g'));
  const names = [...text.matchAll(new RegExp(PLACEHOLDER, 'g'))].map(([name]) => name);
  return (request: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
    const { host, protocol, prefix } = addressOf(request, origins);
    const values: Readonly<Record<string, string>> = {
      [SERVER_URL]: `${protocol}://${host}${prefix}`,
      [IDENTITY_URL]: prefix
        ? `${protocol}://${host}${prefix.replace(/[^/]+$/, 'identity')}`
        : identityUrl.replace(/\/$/, ''),
      [SERVER_HOST]: host,
      [SERVER_PREFIX]: prefix,
      [SOCKET_PROTOCOL]: protocol === 'https' ? 'wss' : 'ws',
    };
    return texts.map((part, index) => part + (values[names[index] ?? ''] ?? '')).join('');
  };
}

/** A name or an address with an optional port. Any other `Host` could break out of the JSON text of a document. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>, origins: RequestOrigins) {
  const called = origins.publicAddressOf(request);
  if (HOST.test(called.host)) return called;
  const { localAddress = 'localhost', localPort = 80 } = request.socket;
  return {
    ...called,
    host: `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`,
  };
}
