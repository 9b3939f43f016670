import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { Origin } from '../unit-of-work.ts';
import { continued, requestIdOf } from './trace.ts';

/** The address under which a client called, as far as trusted proxies tell it. */
export interface PublicAddress {
  readonly host: string;
  readonly protocol: 'http' | 'https';
  /** `/gym` for a request that came through the gateway's prefix; `''` without one. */
  readonly prefix: string;
}

const MAX_USER_AGENT_CHARACTERS = 256;
/** One or more plain path segments. Anything else could lead a link of ours to another host. */
const PREFIX = /^(\/[\w.~-]+)+$/;

/**
 * Reads who sent a request and how it is traced. Every door uses it: express, the gateway's fast lane, and the
 * handshakes of WebSockets. Headers in which proxies tell about a client count only if the connection comes from a
 * trusted proxy; anybody else could write them.
 */
export class RequestOrigins {
  /** Whether an address belongs to a trusted proxy; in the form that express's setting `trust proxy` takes. */
  readonly isTrusted: (address: string, hop: number) => boolean;

  /** @param trustedProxies addresses, subnets, `loopback`, `linklocal` or `uniquelocal` */
  constructor(trustedProxies: readonly string[]) {
    this.isTrusted = proxyAddr.compile([...trustedProxies]);
  }

  of({ headers, socket }: IncomingMessage): Origin {
    return {
      requestId: requestIdOf(headers['x-request-id']),
      traceparent: continued(headers.traceparent),
      authorization: headers.authorization,
      address: this.addressOf({ headers, socket }),
      userAgent: (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_CHARACTERS),
    };
  }

  /** The client's address: the last one in the chain of proxies that no trusted proxy has. */
  addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const nearest = request.socket.remoteAddress ?? '';
    if (request.headers['x-forwarded-for'] === undefined) return nearest;
    // proxy-addr reads no more of a request than these two.
    const address = proxyAddr(request as IncomingMessage, this.isTrusted);
    return isIP(address) === 0 ? nearest : address;
  }

  publicAddressOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): PublicAddress {
    const isFromProxy = this.isTrusted(socket.remoteAddress ?? '', 0);
    const told = (name: string) =>
      isFromProxy
        ? String(headers[name] ?? '')
            .split(',', 1)[0]
            ?.trim()
        : undefined;
    const prefix = told('x-forwarded-prefix') ?? '';
    return {
      host: told('x-forwarded-host') || (headers.host ?? ''),
      protocol: told('x-forwarded-proto')?.toLowerCase() === 'https' ? 'https' : 'http',
      prefix: PREFIX.test(prefix) ? prefix : '',
    };
  }
}
