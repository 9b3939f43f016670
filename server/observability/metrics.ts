import Negotiator from 'negotiator';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OperationOutcome } from '../http/request-log.ts';
import type { OperationClass } from './operation-class.ts';
import { FastHistogram } from './fast-histogram.ts';
import { openMetricsOf } from './openmetrics.ts';
import { spanCounts, type Span } from './tracing.ts';

/** The metrics of the process, which are collected once, also if several services share it. */
export const processRegistry = new Registry();
collectDefaultMetrics({ register: processRegistry });
processRegistry.registerMetric(
  new Counter({
    name: 'trace_spans_total',
    help: 'Spans of OpenTelemetry: exported, failed (the collector did not take them), dropped (too many waited). 0 while tracing is off.',
    labelNames: ['outcome'] as const,
    registers: [],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(spanCounts)) this.inc({ outcome }, count);
    },
  }),
);

/** The metrics of one server at `GET /metrics`: Prometheus text, or OpenMetrics, which has exemplars. */
export interface Metrics {
  /** The registry for a service's own metrics. */
  readonly registry: Registry;
  /** @param span of a sampled request: the exemplar of the metric */
  requestDone(
    door: 'rest' | 'graphql',
    operation: string,
    status: number,
    seconds: number,
    span?: Span,
  ): void;
  operationDone(kind: OperationClass, outcome: OperationOutcome, seconds: number, span?: Span): void;
  readonly openSockets: Gauge;
  text(format?: MetricsFormat): Promise<{ contentType: string; body: string }>;
}

export type MetricsFormat = 'prometheus' | 'openmetrics';

const OPENMETRICS = 'application/openmetrics-text';

/**
 * The format that a scraper prefers by the weights of its `Accept`; Prometheus text if it accepts neither. Parameters such as
 * `version` and `escaping` are not compared: each format has one version, which `Content-Type` names.
 */
export function formatFor(accept: string | undefined): MetricsFormat {
  if (accept === undefined) return 'prometheus';
  const weighted = accept.replaceAll(/;(?!\s*q\s*=)[^;,]*/gi, '');
  const type = new Negotiator({ headers: { accept: weighted } }).mediaType(['text/plain', OPENMETRICS]);
  return type === OPENMETRICS ? 'openmetrics' : 'prometheus';
}

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const requests = new FastHistogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['door', 'operation', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const operations = new FastHistogram({
    name: 'operation_duration_seconds',
    help: 'Duration of REST requests and graph operations by class (check-in, read, write, wait) and outcome: answered, refused (4xx), failed (5xx, or an error of the graph with such a code), aborted (the client has left).',
    labelNames: ['class', 'outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // An alert sees the first failure only if the counter was 0 before.
  for (const kind of ['check-in', 'read', 'write'] satisfies OperationClass[]) operations.of(kind, 'failed');
  const openSockets = new Gauge({
    name: 'open_sockets',
    help: 'Open WebSockets.',
    registers: [registry],
  });
  return {
    registry,
    openSockets,
    requestDone: (door, operation, status, seconds, span) =>
      requests.of(door, operation, String(status)).observe(seconds, span),
    operationDone: (kind, outcome, seconds, span) => operations.of(kind, outcome).observe(seconds, span),
    async text(format = 'prometheus') {
      if (format === 'openmetrics') return openMetricsOf([registry, processRegistry], { service });
      return {
        contentType: registry.contentType,
        // The two texts are joined: Registry.merge would drop the default labels.
        body: `${await registry.metrics()}\n${await processRegistry.metrics()}`,
      };
    },
  };
}

export { Counter, Gauge, Histogram };
