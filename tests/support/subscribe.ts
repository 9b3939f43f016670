import type { FormattedExecutionResult } from 'graphql';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';

/** A subscription over a socket of its own (graphql-transport-ws). */
export interface Subscription {
  /** Waits for the next event. */
  next(): Promise<Pick<FormattedExecutionResult<Record<string, any>>, 'data' | 'errors'>>; // oxlint-disable-line no-explicit-any -- the caller knows the shape of the answer
  close(): Promise<void>;
  readonly client: Client;
}

export function subscribe(
  httpUrl: string,
  query: string,
  variables: Record<string, unknown> = {},
  token?: string,
): Subscription {
  const client = createClient({
    url: `${httpUrl.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(token && { connectionParams: { Authorization: `Bearer ${token}` } }),
  });
  const events = client.iterate({ query, variables });
  return {
    client,
    async next() {
      const { value, done } = await events.next();
      if (done) throw new Error('the subscription has ended');
      return value;
    },
    async close() {
      await events.return?.();
      await client.dispose();
    },
  };
}
