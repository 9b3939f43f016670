import type { FormattedExecutionResult } from 'graphql';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Untyped } from './platform/http-client.ts';

/** A subscription over a socket of its own (graphql-transport-ws). `Data` is the type of its selection. */
export interface Subscription<Data = Untyped> {
  /** Waits for the next event. */
  next(): Promise<Pick<FormattedExecutionResult<Data>, 'data' | 'errors'>>;
  close(): Promise<void>;
  readonly client: Client;
}

export function subscribe<Data = Untyped>(
  httpUrl: string,
  query: string,
  variables: Record<string, unknown> = {},
  token?: string,
): Subscription<Data> {
  const client = createClient({
    url: `${httpUrl.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(token && { connectionParams: { Authorization: `Bearer ${token}` } }),
  });
  const events = client.iterate<Data>({ query, variables });
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
