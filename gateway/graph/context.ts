import type { Viewer } from '#server/auth/viewer.ts';
import type { Client } from '../subgraphs/client.ts';
import type { Origin } from '#server/unit-of-work.ts';

/** What a request to the gateway carries on to the subgraphs. */
export interface GatewayContext extends Origin, Record<string, unknown> {
  readonly viewer: Viewer;
  /** The client of an HTTP request, whose calls end when it leaves; absent for operations over a WebSocket. */
  readonly client?: Client;
}
