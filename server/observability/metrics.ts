import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of the process, which are collected once, also if several services share it. */
export const processRegistry = new Registry();
collectDefaultMetrics({ register: processRegistry });

/** The metrics of one server, in the Prometheus text format at `GET /metrics`. */
export interface Metrics {
  /** The registry for a service's own metrics. */
  readonly registry: Registry;
  requestDone(door: 'rest' | 'graphql', operation: string, status: number, seconds: number): void;
  readonly openSockets: Gauge;
  text(): Promise<{ contentType: string; body: string }>;
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['door', 'operation', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const openSockets = new Gauge({
    name: 'open_sockets',
    help: 'Open WebSockets.',
    registers: [registry],
  });
  return {
    registry,
    openSockets,
    requestDone: (door, operation, status, seconds) => requests.observe({ door, operation, status }, seconds),
    // The two texts are joined: Registry.merge would drop the default labels.
    text: async () => ({
      contentType: registry.contentType,
      body: `${await registry.metrics()}\n${await processRegistry.metrics()}`,
    }),
  };
}

export { Counter, Gauge, Histogram };
