import { pino, type Logger } from 'pino';
import type { Span } from './tracing.ts';

export type { Logger };

/** The names of secrets. Their values are replaced in the first three levels of a logged object. */
const REDACTED = [
  'authorization',
  'cookie',
  'password',
  'token',
  'refreshToken',
  'resumeToken',
  'client_secret',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** A logger that writes one JSON object for each line to standard output, with the service's name. */
export function createLogger(service: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service },
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: { err: withoutRows },
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
    },
    // Lines are buffered, because one system call for each line takes a twelfth of a busy server's time. The rest of the
    // buffer is written at exit.
    pino.destination({ sync: false, minLength: 16_000, periodicFlush: 200 }), // bytes, ms
  );
}

/** A logger whose lines have the ids of a request. Creating it takes time, so do it only for a line that is to be logged. */
export const logOfRequest = (log: Logger, requestId: string, traceparent: string): Logger =>
  log.child({ requestId, traceId: traceIdOf(traceparent) });

/** A logger whose lines have the trace id of a job, an event or a socket message; without a span, the logger itself. */
export const logOfSpan = (log: Logger, span: Span | undefined): Logger =>
  span ? log.child({ traceId: span.traceId }) : log;

/** The trace id of a `traceparent` of version 00 (W3C Trace Context, section 3.2). */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** Like pino's `isoTime`, but it formats date and time once a second: otherwise they take most of the time of a line. */
function isoTime(): () => string {
  let second = Number.NaN;
  let start = '';
  return () => {
    const now = Date.now();
    const millis = now % 1000;
    if (now - millis !== second) {
      second = now - millis;
      start = `,"time":"${new Date(now).toISOString().slice(0, -4)}`;
    }
    return `${start}${String(millis).padStart(3, '0')}Z"`;
  };
}

/**
 * A logger for the line of each request, whose fields are fixed and contain no secrets: searching a line for secrets takes
 * eight times as long as writing it.
 */
export const withoutRedaction = (log: Logger): Logger => log.child({}, { redact: [] });

/**
 * Serialises an error for the log without its `detail`: an error of PostgreSQL contains the failing row there, which may
 * contain a password hash or an address.
 */
function withoutRows(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // The prototype of a DOMException has 25 constants, which pino would write.
  if (error instanceof DOMException) return { type: error.name, message: error.message, stack: error.stack };
  const { detail, message, stack, ...rest } = pino.stdSerializers.err(error);
  if (typeof detail !== 'string') return { ...rest, message, stack };
  const cut = (text: string): string => text.replaceAll(detail, '...');
  return { ...rest, message: cut(message), stack: cut(stack) };
}
