import { AsyncLocalStorage } from 'node:async_hooks';
import { continued } from '../http/trace.ts';
import type { Logger } from './logger.ts';
import { isTracingOn, type TracingSettings } from './tracing-settings.ts';

/** Names and values by OpenTelemetry's semantic conventions; an attribute that is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The kinds of spans, numbered as in `@opentelemetry/api`. */
export const SpanKind = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;
export type SpanKind = (typeof SpanKind)[keyof typeof SpanKind];

export interface SpanOptions {
  /** Default: internal. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** The time of its beginning as `performance.now()`. Default: now. */
  readonly startedAt?: number;
}

/**
 * One step of a sampled request, job, event or socket message. Only sampled ones have spans: where a span is absent, nothing
 * is recorded.
 */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The W3C Trace Context of work that this step causes elsewhere. */
  readonly traceparent: string;
  child(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** @param errorType `error.type` of the semantic conventions: a code or the name of a class, never a message */
  fail(errorType: string): void;
  /** @param startedAt the time of its beginning, if that was earlier, as `performance.now()` */
  rename(name: string, startedAt?: number): void;
  /** Ends the span; a further call does nothing. @param endedAt as `performance.now()`; default: now */
  end(endedAt?: number): void;
  /** Runs `work` with this span as the active one, for everything that `work` does and begins. */
  run<Result>(work: () => Result): Result;
}

/** The spans of one server; they have its name as `service.name`. */
export interface Tracing {
  /**
   * Continues the caller's trace, or begins a new one, whose sampling is decided here.
   * @param header the `traceparent` of the request
   */
  begin(header: string | string[] | undefined): RequestTrace;
  /**
   * Begins work that no open request waits for: a job, an event, a socket message.
   * @param cause the trace context of what caused it; undefined: a new trace
   * @returns undefined if it is not sampled
   */
  start(name: string, cause: string | undefined, options?: SpanOptions): Span | undefined;
  /** Sends the spans that wait, within a time limit. Never rejects. */
  stop(): Promise<void>;
}

/** The trace context of a request. */
export interface RequestTrace {
  /** For requests to other servers. */
  readonly traceparent: string;
  /** Undefined if the request is not sampled. */
  readonly span: Span | undefined;
}

/** The number of spans by what became of them, for the metrics. `dropped`: too many waited to be sent. */
export const spanCounts = { exported: 0, failed: 0, dropped: 0 };

const active = new AsyncLocalStorage<Span | undefined>();

/** The span of the running work. Undefined if it is not sampled, or if tracing is off: then this costs some nanoseconds. */
export const activeSpan = (): Span | undefined => active.getStore();

/** Runs `work` with the span as the active one; without a span, just runs it. */
export const withSpan = <Result>(span: Span | undefined, work: () => Result): Result =>
  span ? active.run(span, work) : work();

/** Runs `work` without an active span, for what outlives the request that begins it, such as a connection. */
export const withoutSpan = <Result>(work: () => Result): Result =>
  active.getStore() === undefined ? work() : active.run(undefined, work);

/** The trace context for what the running work causes elsewhere; undefined if it is not sampled. */
export const activeTraceparent = (): string | undefined => active.getStore()?.traceparent;

/** The trace context for a call to another service. @param ofRequest the `traceparent` of the request that causes the call */
export const outgoing = (span: Span | undefined, ofRequest: string): string =>
  span?.traceparent ?? continued(ofRequest);

/** Runs `work` in the span, and ends it. If `work` fails, the span has the type of the error. */
export async function within<Result>(span: Span | undefined, work: () => Promise<Result>): Promise<Result> {
  if (!span) return work();
  try {
    return await span.run(work);
  } catch (error) {
    span.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** `error.type` of an error: its code, for example of PostgreSQL or of this platform, else the name of its class. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : error.name;
}

/**
 * Opens the spans of one server; undefined if tracing is off. OpenTelemetry's SDK is loaded only if tracing is on.
 * @param name `service.name`, unless OTEL_SERVICE_NAME is set
 */
export async function openTracing(
  name: string,
  settings: TracingSettings,
  log: Logger,
): Promise<Tracing | undefined> {
  if (!isTracingOn(settings)) return undefined;
  const { openExport } = await import('./tracing.otel.ts');
  return openExport(name, settings, log);
}
