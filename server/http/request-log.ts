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
  readonly status: number;
  readonly isAborted: boolean;
}

/** nginx's status for a request whose client left before the response began. No client sees it. */
const CLIENT_LEFT = 499;

/** The outcome for a client that left before the response began. */
export const LEFT = { status: CLIENT_LEFT, isAborted: true };

/** The outcome of a response that is closed. */
export const outcomeOf = (res: ServerResponse): { status: number; isAborted: boolean } =>
  res.headersSent ? { status: res.statusCode, isAborted: !res.writableFinished } : LEFT;

/** Returns the function that writes a request's log line and counts the request in the metrics, for all doors. */
export function requestLog({
  log,
  metrics,
}: {
  log: Logger;
  metrics: Metrics;
}): (request: EndedRequest) => void {
  const lines = withoutRedaction(log);
  return ({ door, operation, requestId, traceparent, startedAt, status, isAborted }) => {
    const millis = performance.now() - startedAt;
    metrics.requestDone(door, operation, status, millis / 1000);
    lines.info(
      {
        requestId,
        traceId: traceIdOf(traceparent),
        operation,
        status,
        millis: Math.round(millis),
        aborted: isAborted || undefined,
      },
      'request',
    );
  };
}
