import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Logger } from '#server/observability/logger.ts';

const FIRST_RETRY_MILLIS = 200; // 0.2 s
const LONGEST_RETRY_MILLIS = 2_000; // 2 s
const PONG_WITHIN_MILLIS = 5_000; // 5 s

/** One multiplexed graphql-transport-ws socket a subgraph, opened at its first subscription and closed after its last. */
export class UpstreamSockets {
  private readonly clients = new Map<string, Client>();
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  /** The socket of the subgraph at that GraphQL URL. */
  of(url: string): Client {
    const client = this.clients.get(url) ?? this.open(url);
    this.clients.set(url, client);
    return client;
  }

  private open(url: string): Client {
    let pongTimer: NodeJS.Timeout | undefined;
    const client = createClient({
      url: url.replace(/^http/, 'ws'),
      webSocketImpl: WebSocket,
      lazyCloseTimeout: 5_000, // 5 s
      keepAlive: 10_000, // 10 s
      connectionAckWaitTimeout: 5_000, // 5 s
      // A subgraph that restarts is waited for however long it takes. graphql-ws by itself would give up on a refused
      // connection, which it takes for fatal.
      retryAttempts: Number.POSITIVE_INFINITY,
      shouldRetry: () => true,
      retryWait: (tries) =>
        new Promise((resolve) => {
          setTimeout(
            resolve,
            Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS * 2 ** tries) * (0.5 + Math.random() / 2),
          );
        }),
      on: {
        closed: () => this.log.debug({ url }, 'the socket to a subgraph is closed'),
        // A connection that died without a word is noticed by the missing pong.
        ping: (received) => {
          if (!received) pongTimer = setTimeout(() => client.terminate(), PONG_WITHIN_MILLIS);
        },
        pong: (received) => {
          if (received) clearTimeout(pongTimer);
        },
      },
    });
    return client;
  }

  async close(): Promise<void> {
    // dispose() rejects while a retry is pending
    await Promise.allSettled([...this.clients.values()].map(async (client) => client.dispose()));
  }
}
