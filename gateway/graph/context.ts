import type { Viewer } from '#server/auth/viewer.ts';

/** What a request to the gateway carries on to the subgraphs. */
export interface GatewayContext extends Record<string, unknown> {
  viewer: Viewer;
  authorization: string | undefined;
  requestId: string;
  traceparent: string;
  address: string;
  userAgent: string;
}
