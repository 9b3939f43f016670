import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { Tracing } from '../observability/tracing.ts';
import type { Origin } from '../unit-of-work.ts';
import { hasForwardingProof } from './forwarding-proof.ts';
import { continued, requestIdOf } from './trace.ts';

/** The URL under which a client called, according to trusted proxies. */
interface PublicAddress {
  readonly host: string;
  readonly protocol: 'http' | 'https';
  /** The path below which the gateway forwards requests to the service, e.g. `/gym`; empty for a direct request. */
  readonly prefix: string;
}

const MAX_HEADER_CHARACTERS = 256;
/** One or more plain path segments. With any other prefix, a generated link could point to another host. */
const PREFIX = /^(\/[\w.~-]+)+$/;

type Incoming = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Reads the client and the trace of a request, for every door: express, the gateway's fast path, and the handshakes of
 * WebSockets. A proxy's headers about its client are used only if the connection comes from a trusted proxy, or if the
 * request has the proof of the platform's gateway; any other sender could invent them.
 */
export class RequestOrigins {
  /** Whether an address belongs to a trusted proxy. The function is also the value of express's setting `trust proxy`. */
  readonly isTrusted: (address: string, hop: number) => boolean;
  private readonly proofs: readonly Buffer[];
  private readonly tracing: Tracing | undefined;

  /**
   * @param trustedProxies addresses, subnets, `loopback`, `linklocal` or `uniquelocal`
   * @param forwardingProofs the accepted proofs of the gateway; none at the gateway itself
   * @param tracing absent if tracing is off
   */
  constructor(
    trustedProxies: readonly string[],
    forwardingProofs: readonly string[] = [],
    tracing?: Tracing,
  ) {
    this.isTrusted = proxyAddr.compile([...trustedProxies]);
    this.proofs = forwardingProofs.map((proof) => Buffer.from(proof));
    this.tracing = tracing;
  }

  /** Whether the `X-Forwarded-*` headers of a request can be trusted. */
  isFromProxy({ headers, socket }: Incoming): boolean {
    return hasForwardingProof(headers, this.proofs) || this.isTrusted(socket.remoteAddress ?? '', 0);
  }

  /** Returns the origin of a request, and begins the request's span if the request is sampled. */
  ofRequest(req: IncomingMessage): Origin {
    const { tracing } = this;
    return tracing ? { ...this.of(req), ...tracing.begin(req.headers.traceparent) } : this.of(req);
  }

  /** The origin without a span. A socket has the origin of its handshake, but each of its messages has a trace of its own. */
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

  /** The client's address: in the chain of proxies, the last address that is not a trusted proxy's. */
  addressOf(request: Incoming): string {
    const nearest = request.socket.remoteAddress ?? '';
    if (request.headers['x-forwarded-for'] === undefined) return nearest;
    // proxy-addr reads only these two properties of a request.
    const address = proxyAddr(request as IncomingMessage, (hopAddress, hop) =>
      hop === 0 ? this.isFromProxy(request) : this.isTrusted(hopAddress, hop),
    );
    return isIP(address) === 0 ? nearest : address;
  }

  publicAddressOf({ headers, socket }: Incoming): PublicAddress {
    const isFromProxy = this.isFromProxy({ headers, socket });
    const forwarded = (name: string) => (isFromProxy ? firstOf(headers[name]) : '');
    return {
      host: forwarded('x-forwarded-host') || (headers.host ?? ''),
      protocol: forwarded('x-forwarded-proto').toLowerCase() === 'https' ? 'https' : 'http',
      prefix: this.prefixOf({ headers, socket }),
    };
  }

  private prefixOf(request: Incoming): string {
    const prefix = firstOf(request.headers['x-forwarded-prefix']);
    return PREFIX.test(prefix) && this.isFromProxy(request) ? prefix : '';
  }
}

/** The first element of a header to which proxies append. */
const firstOf = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',', 1)[0]
    ?.trim() ?? '';
