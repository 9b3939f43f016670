import type { IncomingHttpHeaders } from 'node:http';
import type { Viewer } from '#server/auth/viewer.ts';
import type { Origin } from '#server/unit-of-work.ts';
import { keyedOperationOf, type KeyedOperation } from './keyed-operation.ts';
import { WaitingClient } from './waiting-client.ts';

/** The context of a client's request, from the door to the requests to subgraphs. */
export interface GatewayContext extends Origin, Record<string, unknown> {
  readonly viewer: Viewer;
  /** The client of an HTTP request, or of a query over a WebSocket: if it leaves, its calls end. Absent for subscriptions. */
  readonly client?: WaitingClient;
  /** Set for an HTTP request with an `Idempotency-Key`. */
  readonly keyed?: KeyedOperation | undefined;
}

/** The context of an HTTP request, the same in the fast path and behind Express. */
export const httpContext = (
  origin: Origin,
  viewer: Viewer,
  headers: IncomingHttpHeaders,
): GatewayContext => ({
  ...origin,
  viewer,
  client: new WaitingClient(),
  keyed: keyedOperationOf(headers['idempotency-key']),
});
