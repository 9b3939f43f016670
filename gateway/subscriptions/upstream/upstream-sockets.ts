import type { TlsOptions } from '../../router-file/router.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloseCode, createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { Logger } from '#server/observability/logger.ts';

const FIRST_RETRY_MILLIS = 200; // 0.2 s
const LONGEST_RETRY_MILLIS = 2_000; // 2 s
const PONG_WITHIN_MILLIS = 5_000; // 5 s
/** The close code with which graphql-ws terminates a socket. */
const TERMINATED = 4499;

/** The close code of a server that stops. */
const GOING_AWAY = 1001;

const retryMillis = (tries: number): number =>
  Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS * 2 ** tries) * (0.5 + Math.random() / 2);

const codeOf = (cause: unknown): unknown =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;

/** One multiplexed graphql-transport-ws socket to a subgraph. */
export interface UpstreamSocket {
  readonly url: string;
  readonly client: Client;
  readonly isConnected: boolean;
}

interface UpstreamSocketsOptions {
  log: Logger;
  /** Client-credentials tokens of the service `gateway`. */
  tokens: ServiceTokens;
  /** Sent with the handshake of a socket to that URL. Default: none. */
  headersOf?: ((url: string) => Readonly<Record<string, string>>) | undefined;
  /** How a socket with TLS to that URL is opened. Default: as Node does. */
  tlsAt?: ((url: string) => TlsOptions | undefined) | undefined;
}

/**
 * The sockets to the subgraphs, each opened for its first subscription and closed after its last one. A subgraph has one for
 * the subscriptions of single viewers, and one for those of audiences, which proves that it is the gateway's.
 */
export class UpstreamSockets {
  private readonly known = new Map<string, UpstreamSocket>();
  private readonly log: Logger;
  private readonly tokens: ServiceTokens;
  private readonly headersOf: (url: string) => Readonly<Record<string, string>>;
  private readonly tlsAt: (url: string) => TlsOptions | undefined;

  constructor({ log, tokens, headersOf = () => ({}), tlsAt = () => undefined }: UpstreamSocketsOptions) {
    this.tlsAt = tlsAt;
    this.log = log;
    this.tokens = tokens;
    this.headersOf = headersOf;
  }

  /** The socket to the subgraph at that GraphQL URL. */
  of(url: string, kind: 'viewers' | 'audiences'): UpstreamSocket {
    const key = `${kind} ${url}`;
    const socket = this.known.get(key) ?? this.open(url, kind === 'audiences');
    this.known.set(key, socket);
    return socket;
  }

  private open(url: string, isProved: boolean): UpstreamSocket {
    let pongTimer: NodeJS.Timeout | undefined;
    let isConnected = false;
    let isServiceStopping = false;
    const client = createClient({
      url: url.replace(/^http/, 'ws'),
      webSocketImpl: terminableWebSocket(this.headersOf(url), this.tlsAt(url)),
      connectionParams: isProved
        ? async () => ({ gateway: `Bearer ${await this.tokens.get()}` })
        : () => this.carrierParams(),
      lazyCloseTimeout: 5_000, // 5 s
      keepAlive: 10_000, // 10 s
      connectionAckWaitTimeout: 5_000, // 5 s
      // A subgraph may restart, which may take any time. By default graphql-ws treats a refused connection as fatal.
      retryAttempts: Number.POSITIVE_INFINITY,
      shouldRetry: (cause) => !(isProved && this.isRefused(cause, url)),
      // If a replica stops, another one accepts the socket at once, so the first retry does not wait.
      retryWait: async (tries) => {
        if (tries > 0 || !isServiceStopping) await sleep(retryMillis(tries));
      },
      on: {
        connected: () => (isConnected = true),
        closed: (event) => {
          isConnected = false;
          isServiceStopping = codeOf(event) === GOING_AWAY;
          clearTimeout(pongTimer);
          this.log.debug({ url }, 'the socket to a subgraph is closed');
        },
        // A connection that broke without a close frame is detected by the missing pong.
        ping: (received) => {
          if (!received) pongTimer = setTimeout(() => client.terminate(), PONG_WITHIN_MILLIS);
        },
        pong: (received) => {
          if (received) clearTimeout(pongTimer);
        },
      },
    });
    return {
      url,
      client,
      get isConnected() {
        return isConnected;
      },
    };
  }

  /**
   * The connection parameters of a socket without a proof. By the token a service of the platform knows that the socket
   * carries the subscriptions of many users.
   */
  private async carrierParams(): Promise<Record<string, unknown>> {
    try {
      return { gatewayCarrier: `Bearer ${await this.tokens.get()}` };
    } catch (error) {
      this.log.debug({ err: error }, 'a socket to a subgraph begins without a token of the gateway');
      return {};
    }
  }

  /** A refused proof is not retried; each viewer then gets an upstream subscription of their own. */
  private isRefused(cause: unknown, url: string): boolean {
    const isRefused = codeOf(cause) === CloseCode.Forbidden;
    if (isRefused)
      this.log.warn(
        { url },
        'this subgraph does not accept the token of the gateway, so that viewers share no subscriptions; do the two have different service secrets?',
      );
    return isRefused;
  }

  async close(): Promise<void> {
    // dispose() rejects while a retry is pending
    await Promise.allSettled([...this.known.values()].map(disposed));
  }
}

/**
 * Closes the socket. graphql-ws then leaves the timer of `lazyCloseTimeout`, which keeps the process running for up to 5 s.
 * Only a further subscription clears this timer; it sends nothing, because the socket is closing, and is not retried.
 */
async function disposed(socket: UpstreamSocket): Promise<void> {
  await socket.client.dispose();
  if (!socket.isConnected) return;
  const ignore = (): void => undefined;
  socket.client.subscribe({ query: '{ __typename }' }, { next: ignore, error: ignore, complete: ignore });
}

/**
 * A WebSocket that is destroyed at once if graphql-ws terminates it. Otherwise messages of the old socket could still arrive
 * after those of the new one.
 */
const terminableWebSocket = (headers: Readonly<Record<string, string>>, tls: TlsOptions | undefined) =>
  class extends WebSocket {
    constructor(url: string, protocols: string | string[]) {
      super(url, protocols, { headers, ...tls });
    }

    override close(code?: number, data?: string | Buffer): void {
      if (code === TERMINATED) this.terminate();
      else super.close(code, data);
    }
  };
