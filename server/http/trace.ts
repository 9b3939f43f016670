import { randomFillSync, randomUUID } from 'node:crypto';

/** The caller's `X-Request-Id` if it has a safe form, else a new id. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID();

/** The parts of a `traceparent`, as hexadecimal digits. */
export interface TraceContext {
  readonly traceId: string;
  /** The span of the sender. */
  readonly spanId: string;
  readonly flags: string;
}

/** The parts of a `traceparent` of version 00 (W3C Trace Context, section 3.2); undefined if it is not valid. */
export function traceContextIn(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header) ?? [];
  return traceId === '' || /^0+$/.test(traceId) || /^0+$/.test(spanId)
    ? undefined
    : { traceId, spanId, flags };
}

/** Whether the sender of a valid `traceparent` records its trace. */
export const isSampled = ({ flags }: TraceContext): boolean => (Number.parseInt(flags, 16) & 1) === 1;

/**
 * A `traceparent` of version 00 with the caller's trace id and flags and a new span id; a new trace if the caller sent no
 * valid header.
 */
export function continued(header: string | string[] | undefined): string {
  const given = traceContextIn(header);
  return given ? `00-${given.traceId}-${newSpanId()}-${given.flags}` : `00-${newTraceId()}-${newSpanId()}-00`;
}

export const newTraceId = (): string => randomHex(16);
export const newSpanId = (): string => randomHex(8);

const BUFFER_BYTES = 4_096;
const buffer = Buffer.alloc(BUFFER_BYTES);
let used = BUFFER_BYTES;

/**
 * Random bytes as hexadecimal digits. They are taken from a buffer that one system call fills, because a system call for
 * every few bytes would take longer.
 */
function randomHex(bytes: number): string {
  if (used + bytes > BUFFER_BYTES) {
    randomFillSync(buffer);
    used = 0;
  }
  used += bytes;
  return buffer.toString('hex', used - bytes, used);
}
