import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { Origin } from '../unit-of-work.ts';
import { hasForwardingProof } from './forwarding-proof.ts';
import { continued, requestIdOf } from './trace.ts';

/** The address under which a client called, as far as trusted proxies tell it. */
export interface PublicAddress {
  readonly host: string;
  readonly protocol: 'http' | 'https';
  /** `/gym` for a request that came through the gateway's prefix; `''` without one. */
  readonly prefix: string;
}

const MAX_HEADER_CHARACTERS = 256;
/** One or more plain path segments. Anything else could lead a link of ours to another host. */
const PREFIX = /^(\/[\w.~-]+)+$/;

type Incoming = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Reads who sent a request and how it is traced. Every door uses it: express, the gateway's fast lane, and the
 * handshakes of WebSockets. Headers in which proxies tell about a client count only if the connection comes from a
 * trusted proxy, or if they come with the proof of the platform's gateway; anybody else could write them.
 */
export class RequestOrigins {
  /** Whether an address belongs to a trusted proxy; in the form that express's setting `trust proxy` takes. */
  readonly isTrusted: (address: string, hop: number) => boolean;
  private readonly proof: Buffer | undefined;

  /**
   * @param trustedProxies addresses, subnets, `loopback`, `linklocal` or `uniquelocal`
   * @param forwardingProof the gateway's; absent at the gateway itself
   */
  constructor(trustedProxies: readonly string[], forwardingProof?: string) {
    this.isTrusted = proxyAddr.compile([...trustedProxies]);
    this.proof = forwardingProof === undefined ? undefined : Buffer.from(forwardingProof);
  }

  /** Whether what a request says about its client counts. */
  isFromProxy({ headers, socket }: Incoming): boolean {
    return hasForwardingProof(headers, this.proof) || this.isTrusted(socket.remoteAddress ?? '', 0);
  }

  of({ headers, socket }: IncomingMessage): Origin {
    return {
      requestId: requestIdOf(headers['x-request-id']),
      traceparent: continued(headers.traceparent),
      authorization: headers.authorization,
      address: this.addressOf({ headers, socket }),
      prefix: headers['x-forwarded-prefix'] === undefined ? '' : this.prefixOf({ headers, socket }),
      userAgent: (headers['user-agent'] ?? '').slice(0, MAX_HEADER_CHARACTERS),
      acceptLanguage: (headers['accept-language'] ?? '').slice(0, MAX_HEADER_CHARACTERS),
    };
  }

  /** The client's address: the last one in the chain of proxies that no trusted proxy has. */
  addressOf(request: Incoming): string {
    const nearest = request.socket.remoteAddress ?? '';
    if (request.headers['x-forwarded-for'] === undefined) return nearest;
    // proxy-addr reads no more of a request than these two.
    const address = proxyAddr(request as IncomingMessage, (hopAddress, hop) =>
      hop === 0 ? this.isFromProxy(request) : this.isTrusted(hopAddress, hop),
    );
    return isIP(address) === 0 ? nearest : address;
  }

  publicAddressOf({ headers, socket }: Incoming): PublicAddress {
    const isFromProxy = this.isFromProxy({ headers, socket });
    const told = (name: string) => (isFromProxy ? firstOf(headers[name]) : '');
    return {
      host: told('x-forwarded-host') || (headers.host ?? ''),
      protocol: told('x-forwarded-proto').toLowerCase() === 'https' ? 'https' : 'http',
      prefix: this.prefixOf({ headers, socket }),
    };
  }

  private prefixOf(request: Incoming): string {
    const prefix = firstOf(request.headers['x-forwarded-prefix']);
    return PREFIX.test(prefix) && this.isFromProxy(request) ? prefix : '';
  }
}

/** The first element of a header that proxies add to. */
const firstOf = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',', 1)[0]
    ?.trim() ?? '';
