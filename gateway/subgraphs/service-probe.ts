import type { Dispatcher } from 'undici';
import { jsonIn, isJsonObject } from '#server/json-object.ts';

/** The time limit of a probe. A service that works answers in a few milliseconds. */
const PROBE_MILLIS = 1_000; // 1 s

interface ServiceProbeOptions {
  /** Opens a new connection for each request. */
  dispatcher: Dispatcher;
  /** The path of the GraphQL endpoint. */
  graphPath: string;
  /** The path of readiness; absent for a subgraph that is not a service of the platform. */
  readyPath: string | undefined;
}

/**
 * Returns a function that sends a small request of the gateway itself. For a service of the platform it is
 * `GET /health/ready`, which succeeds here if the service and its database answer. The rest of readiness does not count,
 * because a service that is stopping is not ready, but still answers queries. For any other subgraph it is `{__typename}`.
 */
export const serviceProbe =
  ({ dispatcher, graphPath, readyPath }: ServiceProbeOptions): (() => Promise<boolean>) =>
  async () => {
    try {
      const { statusCode, body } = await dispatcher.request({
        ...(readyPath === undefined ? typenameAt(graphPath) : { method: 'GET', path: readyPath }),
        signal: AbortSignal.timeout(PROBE_MILLIS),
      });
      const answer = jsonIn(await body.text());
      if (!isJsonObject(answer)) return false;
      if (readyPath === undefined) return statusCode < 500;
      const { checks } = answer;
      return isJsonObject(checks) && checks['database'] !== 'failed';
    } catch {
      return false;
    }
  };

const typenameAt = (path: string) =>
  ({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: '{"query":"{__typename}"}',
  }) as const;
