import type { ServerResponse } from 'node:http';
import { traceIdOf, withoutRedaction, type Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';

/** A request whose response was written, or whose client has left. */
interface EndedRequest {
  readonly door: 'rest' | 'graphql';
  /** Method and declared path, see `operationOf`. */
  readonly operation: string;
  readonly requestId: string;
  readonly traceparent: string;
  /** The time of its start, as `performance.now()`. */
  readonly startedAt: number;
  readonly res: ServerResponse;
}

/** nginx's status for a request whose client left before the response began. No client sees it. */
const CLIENT_LEFT = 499;

/** Returns the function that writes a request's log line and counts the request in the metrics, for all doors. */
export function requestLog({
  log,
  metrics,
}: {
  log: Logger;
  metrics: Metrics;
}): (request: EndedRequest) => void {
  const lines = withoutRedaction(log);
  return ({ door, operation, requestId, traceparent, startedAt, res }) => {
    const millis = performance.now() - startedAt;
    const status = res.headersSent ? res.statusCode : CLIENT_LEFT;
    metrics.requestDone(door, operation, status, millis / 1000);
    lines.info(
      {
        requestId,
        traceId: traceIdOf(traceparent),
        operation,
        status,
        millis: Math.round(millis),
        aborted: !res.writableFinished || undefined,
      },
      'request',
    );
  };
}
