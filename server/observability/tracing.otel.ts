import { randomUUID } from 'node:crypto';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
  SamplingDecision,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { API_INFO } from '../api-info.ts';
import { isSampled, newSpanId, newTraceId, traceContextIn, type TraceContext } from '../http/trace.ts';
import type { Logger } from './logger.ts';
import { RecordedSpan, type SpanSink } from './recorded-span.ts';
import {
  spanCounts,
  SpanKind,
  type RequestTrace,
  type Span,
  type SpanOptions,
  type Tracing,
} from './tracing.ts';
import { tracesTargetOf, type SamplerName, type TracingSettings } from './tracing-settings.ts';

/** How long a stop waits for the collector. */
const STOP_MILLIS = 2_000; // 2 s

/** The name of a request's span until the door renames the span. */
const REQUEST = 'request';

/** The spans of one server, exported by OTLP over HTTP. Servers of one process with the same settings share the queue. */
export async function openExport(name: string, settings: TracingSettings, log: Logger): Promise<Tracing> {
  const queue = await SharedQueue.open(settings, log);
  const resource = resourceFromAttributes({
    'service.namespace': 'fitness-platform',
    'service.version': API_INFO.version,
    'service.instance.id': randomUUID(),
    ...settings.otelResourceAttributes,
    'service.name': settings.otelServiceName ?? name,
  });
  return new OtelTracing(resource, samplerOf(settings), queue);
}

class OtelTracing implements Tracing {
  private readonly sink: SpanSink;
  private readonly sampler: Sampler;
  private readonly queue: SharedQueue;

  constructor(resource: Resource, sampler: Sampler, queue: SharedQueue) {
    this.sink = { resource, onEnd: (span) => queue.add(span) };
    this.sampler = sampler;
    this.queue = queue;
  }

  begin(header: string | string[] | undefined): RequestTrace {
    const caller = traceContextIn(header);
    const traceId = caller?.traceId ?? newTraceId();
    if (!this.isRecorded(traceId, caller))
      return { traceparent: `00-${traceId}-${newSpanId()}-00`, span: undefined };
    const span = this.spanOf(REQUEST, traceId, caller, { kind: SpanKind.server });
    return { traceparent: span.traceparent, span };
  }

  start(name: string, cause: string | undefined, options: SpanOptions = {}): Span | undefined {
    const caller = traceContextIn(cause);
    const traceId = caller?.traceId ?? newTraceId();
    return this.isRecorded(traceId, caller) ? this.spanOf(name, traceId, caller, options) : undefined;
  }

  stop(): Promise<void> {
    return this.queue.release();
  }

  private isRecorded(traceId: string, caller: TraceContext | undefined): boolean {
    const { followsCaller, records } = this.sampler;
    return caller && followsCaller ? isSampled(caller) : records(traceId);
  }

  private spanOf(
    name: string,
    traceId: string,
    caller: TraceContext | undefined,
    options: SpanOptions,
  ): RecordedSpan {
    return new RecordedSpan(this.sink, name, { traceId, parentId: caller?.spanId, isRemote: true }, options);
  }
}

interface Sampler {
  /** Whether the caller decides: their trace is recorded here if they record it. Without a caller's trace `records` decides. */
  readonly followsCaller: boolean;
  records(traceId: string): boolean;
}

function samplerOf({ otelTracesSampler: name, otelTracesSamplerArg: share }: TracingSettings): Sampler {
  const followsCaller = name.startsWith('parentbased_');
  const root = name.replace('parentbased_', '') as SamplerName;
  if (root !== 'traceidratio') return { followsCaller, records: () => root === 'always_on' };
  const sampler = new TraceIdRatioBasedSampler(share);
  return {
    followsCaller,
    records: (traceId) =>
      sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
  };
}

/** The bounded queue of a process, from which the SDK sends batches. A collector that fails or hangs affects no request. */
class SharedQueue {
  private static readonly opened = new Map<string, Promise<SharedQueue>>();
  private readonly key: string;
  private readonly processor: BatchSpanProcessor;
  private readonly maxWaiting: number;
  private waiting = 0;
  private users = 0;
  private hasFailed = false;

  static async open(settings: TracingSettings, log: Logger): Promise<SharedQueue> {
    const key = JSON.stringify([tracesTargetOf(settings), settings.otelBspScheduleDelay]);
    const known =
      SharedQueue.opened.get(key) ??
      exporterFor(settings).then((exporter) => new SharedQueue(key, exporter, settings, log));
    SharedQueue.opened.set(key, known);
    const queue = await known;
    queue.users += 1;
    return queue;
  }

  private constructor(key: string, exporter: SpanExporter, settings: TracingSettings, log: Logger) {
    this.key = key;
    this.maxWaiting = settings.otelBspMaxQueueSize;
    this.processor = new BatchSpanProcessor({
      exporter: this.counting(exporter, log),
      maxQueueSize: settings.otelBspMaxQueueSize,
      maxExportBatchSize: Math.min(settings.otelBspMaxExportBatchSize, settings.otelBspMaxQueueSize),
      scheduledDelayMillis: settings.otelBspScheduleDelay,
      exportTimeoutMillis: tracesTargetOf(settings).timeoutMillis + 1_000,
    });
  }

  add(span: RecordedSpan): void {
    if (this.waiting >= this.maxWaiting) {
      spanCounts.dropped += 1;
      return;
    }
    this.waiting += 1;
    this.processor.onEnd(span);
  }

  /** The last server of the process that uses the queue sends what waits, and closes it. */
  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    SharedQueue.opened.delete(this.key);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_MILLIS)));
    await Promise.race([this.processor.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  }

  private counting(exporter: SpanExporter, log: Logger): SpanExporter {
    return {
      export: (spans, done) => {
        this.waiting -= spans.length;
        exporter.export(spans, (result) => {
          const hasFailed = result.error !== undefined;
          spanCounts[hasFailed ? 'failed' : 'exported'] += spans.length;
          // The failure is logged once, not at every attempt.
          if (hasFailed && !this.hasFailed)
            log.warn({ err: result.error }, 'spans could not be sent to the OpenTelemetry collector');
          this.hasFailed = hasFailed;
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: async () => exporter.forceFlush?.(),
    };
  }
}

async function exporterFor(settings: TracingSettings): Promise<SpanExporter> {
  const { url, protocol, headers, timeoutMillis } = tracesTargetOf(settings);
  const options = { url, headers: { ...headers }, timeoutMillis };
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter(options);
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter(options);
}
