import type { Viewer } from '#server/auth/viewer.ts';
import type { WaitingClient } from './waiting-client.ts';
import type { KeyedOperation } from './keyed-operation.ts';
import type { Origin } from '#server/unit-of-work.ts';

/** What a request to the gateway carries on to the subgraphs. */
export interface GatewayContext extends Origin, Record<string, unknown> {
  readonly viewer: Viewer;
  /** The client of an HTTP request, or of a query over a WebSocket: its calls end when it leaves. Absent for subscriptions. */
  readonly client?: WaitingClient;
  /** Of an HTTP request with an `Idempotency-Key`. */
  readonly keyed?: KeyedOperation | undefined;
}
