import type { ServerResponse } from 'node:http';
import { traceIdOf, withoutRedaction, type Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { OperationClass } from '../observability/operation-class.ts';
import type { Attributes } from '../observability/tracing.ts';
import type { Origin } from '../unit-of-work.ts';

/** A request whose response was written, or whose client has left. */
interface EndedRequest {
  readonly door: 'rest' | 'graphql';
  /** Method and declared path, see `operationOf`. */
  readonly operation: string;
  /** Undefined for a request that is no operation. */
  readonly kind: OperationClass | undefined;
  readonly origin: Pick<Origin, 'requestId' | 'traceparent' | 'span'>;
  /** The time of its start, as `performance.now()`. */
  readonly startedAt: number;
  readonly status: number;
  readonly isAborted: boolean;
  /** Whether an operation of the graph has failed in part although its status is 200. */
  readonly hasFailed?: boolean;
  /** Further attributes of its span. */
  readonly attributes?: Attributes | undefined;
}

/** nginx's status for a request whose client left before the response began. No client sees it. */
const CLIENT_LEFT = 499;

/** The requests of load balancers and supervisors. With one each second, their lines would be most of the log of a quiet server. */
const HEALTH_CHECKS: ReadonlySet<string> = new Set(
  ['GET', 'HEAD'].flatMap((method) => [`${method} /health/live`, `${method} /health/ready`]),
);

/** The outcome for a client that left before the response began. */
export const LEFT = { status: CLIENT_LEFT, isAborted: true };

/** The outcome of a response that is closed. */
export const outcomeOf = (res: ServerResponse): { status: number; isAborted: boolean } =>
  res.headersSent ? { status: res.statusCode, isAborted: !res.writableFinished } : LEFT;

/** Returns the function that writes a request's log line, counts the request in the metrics and ends its span, for all doors. */
export function requestLog({
  log,
  metrics,
}: {
  log: Logger;
  metrics: Metrics;
}): (request: EndedRequest) => void {
  const lines = withoutRedaction(log);
  return (request) => {
    const { door, operation, origin, startedAt, status, isAborted } = request;
    const { requestId, traceparent, span } = origin;
    const millis = performance.now() - startedAt;
    metrics.requestDone(door, operation, status, millis / 1000, span);
    if (request.kind) metrics.operationDone(request.kind, outcomeIn(request), millis / 1000, span);
    if (span) endSpan(request);
    const isRoutine = HEALTH_CHECKS.has(operation) && status < 400 && !isAborted;
    lines[isRoutine ? 'debug' : 'info'](
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

/** How a request ended, in metrics. */
export type OperationOutcome = 'answered' | 'refused' | 'failed' | 'aborted';

function outcomeIn({ status, isAborted, hasFailed }: EndedRequest): OperationOutcome {
  if (status >= 500 || hasFailed) return 'failed';
  if (isAborted) return 'aborted';
  return status >= 400 ? 'refused' : 'answered';
}

/** The span's attributes follow the semantic conventions for HTTP servers. The path is left out: some paths contain tokens. */
function endSpan({
  operation,
  origin: { span },
  startedAt,
  status,
  hasFailed,
  attributes,
}: EndedRequest): void {
  if (!span) return;
  const [method, route] = operation.split(' ', 2);
  span.rename(operation, startedAt);
  span.set({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'url.scheme': 'http',
    ...attributes,
  });
  if (status >= 500) span.fail(String(status));
  else if (hasFailed) span.fail('GRAPHQL_ERRORS');
  span.end();
}
