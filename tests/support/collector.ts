import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A span as a collector gets it by OTLP (JSON). */
export interface CollectedSpan {
  readonly service: string;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer, as in OTLP. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly hasFailed: boolean;
}

/** A plain HTTP server on this machine that receives spans by OTLP over HTTP with JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly requests: { path: string | undefined; headers: http.IncomingHttpHeaders }[];
  /** The spans of a trace; waits for more until `isComplete` and until the parent of each has arrived. */
  trace(traceId: string, isComplete: (spans: readonly CollectedSpan[]) => boolean): Promise<CollectedSpan[]>;
  stop(): Promise<void>;
}

/** Environment variables of a platform whose traces the collector gets. All traces are recorded. */
export const tracingTo = (collector: Pick<Collector, 'url'>): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
});

/** The id of the span of a caller, such as a browser: the parent of the first span of each trace of `traceparentOf`. */
export const CALLERS_SPAN = randomBytes(8).toString('hex');

/** The header of a request in a trace that is recorded (`01`) or is not (`00`). */
export const traceparentOf = (traceId: string, flags: '00' | '01' = '01'): string =>
  `00-${traceId}-${CALLERS_SPAN}-${flags}`;

/** @param answer replaces the answer to each request, for a collector that fails or hangs */
export async function startCollector(
  answer: (response: http.ServerResponse) => void = (response) => response.writeHead(200).end('{}'),
): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: Collector['requests'] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      requests.push({ path: request.url, headers: request.headers });
      if (request.headers['content-type'] === 'application/json')
        spans.push(...spansIn(JSON.parse(body.toString()) as Message));
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async trace(traceId, isComplete) {
      const until = Date.now() + 120_000;
      for (;;) {
        const found = spans.filter((span) => span.traceId === traceId);
        if (isComplete(found) && hasAllParents(found)) return found;
        if (Date.now() > until)
          throw new Error(`Expected more spans of the trace, got:\n${treeOf(found).join('\n')}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A parent ends, and is sent, after its children and often in a later request. */
function hasAllParents(spans: readonly CollectedSpan[]): boolean {
  const known = new Set(['', CALLERS_SPAN, ...spans.map(({ spanId }) => spanId)]);
  return spans.every(({ parentId }) => known.has(parentId));
}

/** One line for each span, below its parent, in the order of time. */
export function treeOf(spans: readonly CollectedSpan[]): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const childrenOf = (parent: string | undefined): CollectedSpan[] =>
    spans
      .filter(({ parentId }) => (parent === undefined ? !known.has(parentId) : parentId === parent))
      .toSorted((a, b) => a.startedAt - b.startedAt);
  const lines = (parent: string | undefined, indent: string): string[] =>
    childrenOf(parent).flatMap((span) => [
      `${indent}${span.service}: ${span.name}`,
      ...lines(span.spanId, `${indent}  `),
    ]);
  return lines(undefined, '');
}

/** The span and those above it, as `service: name`. */
export function wayTo(span: CollectedSpan | undefined, trace: readonly CollectedSpan[]): string[] {
  if (!span) return [];
  const parent = trace.find(({ spanId }) => spanId === span.parentId);
  return [...wayTo(parent, trace), `${span.service}: ${span.name}`];
}

interface Attribute {
  readonly key: string;
  readonly value: {
    stringValue?: string;
    intValue?: string | number;
    doubleValue?: number;
    boolValue?: boolean;
    arrayValue?: { values: Attribute['value'][] };
  };
}

interface Message {
  readonly resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        name: string;
        kind: number;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Attribute[];
        status?: { code?: number };
      }[];
    }[];
  }[];
}

const spansIn = ({ resourceSpans }: Message): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const ofResource = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(ofResource['service.name']),
        resource: ofResource,
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentId: span.parentSpanId ?? '',
        attributes: valuesOf(span.attributes),
        startedAt: Number(span.startTimeUnixNano) / 1e6,
        endedAt: Number(span.endTimeUnixNano) / 1e6,
        hasFailed: span.status?.code === 2,
      })),
    );
  });

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

const valueOf = (value: Attribute['value']): unknown =>
  value.stringValue ??
  value.boolValue ??
  value.doubleValue ??
  value.arrayValue?.values.map(valueOf) ??
  (value.intValue === undefined ? undefined : Number(value.intValue));
