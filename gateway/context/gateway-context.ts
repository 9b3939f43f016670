import type { IncomingHttpHeaders } from 'node:http';
import type { Viewer } from '#server/auth/viewer.ts';
import type { Origin } from '#server/unit-of-work.ts';
import type { IncrementalForm } from '../defer/incremental-result.ts';
import type { PreparedOperation } from '../operations/prepared-operation.ts';
import { keyedOperationOf, type KeyedOperation } from './keyed-operation.ts';
import { chosenHeaders } from '../router-file/header-rules.ts';
import { clientNameIn } from '../usage/client-name.ts';
import { WaitingClient } from './waiting-client.ts';

/** The context of a client's request, from the door to the requests to subgraphs. */
export interface GatewayContext extends Origin, Record<string, unknown> {
  readonly viewer: Viewer;
  /** The client of an HTTP request, or of a query over a WebSocket: if it leaves, its calls end. Absent for subscriptions. */
  readonly client?: WaitingClient;
  /** Set for an HTTP request with an `Idempotency-Key`. */
  readonly keyed?: KeyedOperation | undefined;
  /** The name of the client's application, if it sent one. */
  readonly clientName?: string | undefined;
  /** The client's headers that some subgraph gets by the operator's rules; absent if it sent none of them. */
  readonly forwarded?: ReadonlyMap<string, string> | undefined;
  /** Gets the operation that is executed, for the metrics and the span. Apollo Server copies the context, but not this object. */
  readonly executed?: { operation?: PreparedOperation };
  /**
   * The form of the messages in which an operation with `@defer` is answered over a WebSocket. Over HTTP, the `Accept` header
   * decides about the form.
   */
  readonly incrementalForm?: IncrementalForm;
}

/**
 * The context of an HTTP request, the same in the fast path and behind Express.
 * @param headerNames the client's headers that some subgraph gets
 */
export const httpContext = (
  origin: Origin,
  viewer: Viewer,
  headers: IncomingHttpHeaders,
  headerNames: readonly string[] = [],
): GatewayContext => ({
  ...origin,
  viewer,
  client: new WaitingClient(),
  keyed: keyedOperationOf(headers['idempotency-key']),
  executed: {},
  clientName: clientNameIn(headers),
  forwarded: headerNames.length > 0 ? chosenHeaders(headerNames, headers) : undefined,
});
