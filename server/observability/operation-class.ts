/**
 * What kind of work a request is, in metrics: the objectives for availability differ by kind (docs/operations.md, "Objectives").
 * `wait`: a request that waits for events for up to 20 s, so that its duration says nothing.
 */
export type OperationClass = 'check-in' | 'read' | 'write' | 'wait';

/** Whether a path with its query is a request that waits for events (`GET /events?wait=20`). */
export const waitsForEvents = (path: string): boolean => /^\/events\/?\?(?:.*&)?wait=/.test(path);

/** `GET /health/...` and `GET /metrics`. Readiness is 503 at every stop, which is no failure of an operation. */
const isProbe = (path: string): boolean => /^\/(health\/|metrics\b)/i.test(path);

/**
 * The class of a REST request; undefined for those of balancers and scrapers, which are no operations.
 * @param path at the service, with the query
 */
export function classOfRequest(service: string, method: string, path: string): OperationClass | undefined {
  if (isProbe(path)) return undefined;
  if (method === 'GET' || method === 'HEAD') return waitsForEvents(path) ? 'wait' : 'read';
  return service === 'gym' && method === 'POST' && /^\/locations\/check-in\/?(\?|$)/i.test(path)
    ? 'check-in'
    : 'write';
}

/** The class of an operation of the graph. @param rootFields names, without aliases */
export function classOfOperation(
  kind: 'query' | 'mutation' | 'subscription',
  rootFields: readonly string[],
): OperationClass {
  if (kind !== 'mutation') return 'read';
  return rootFields.includes('checkIn') ? 'check-in' : 'write';
}
