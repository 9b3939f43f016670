import { pino, type Logger } from 'pino';

export type { Logger };

/** Secrets that must not appear in a log line, wherever they are in a logged object. */
const REDACTED = [
  'authorization',
  'cookie',
  'password',
  'token',
  'refreshToken',
  'resumeToken',
  'client_secret',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** One JSON object a line on standard output, with the service's name. */
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
    // A system call for each line takes a busy server a twelfth of its time. Buffered lines are written at exit.
    pino.destination({ sync: false, minLength: 4_096, periodicFlush: 200 }), // bytes, ms
  );
}

/** A logger whose lines have the ids of their request. It takes time, so it is made only when there is something to log. */
export const logOfRequest = (log: Logger, requestId: string, traceparent: string): Logger =>
  log.child({ requestId, traceId: traceIdOf(traceparent) });

/** The trace id of a `traceparent` of version 00 (W3C Trace Context, section 3.2). */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** As pino's own, but it formats the date and time only once a second: that is most of the cost of a line. */
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
 * For lines of fixed fields without secrets, written for each request: looking for secrets in them costs eight times as
 * much as writing them.
 */
export const withoutRedaction = (log: Logger): Logger => log.child({}, { redact: [] });

/**
 * An error of PostgreSQL contains the failing row in its `detail`, with everything in it: a password hash, an address. The
 * rest of the error is kept, the row is not.
 */
function withoutRows(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // Its prototype has 25 constants, which pino would write out.
  if (error instanceof DOMException) return { type: error.name, message: error.message, stack: error.stack };
  const { detail, message, stack, ...rest } = pino.stdSerializers.err(error);
  if (typeof detail !== 'string') return { ...rest, message, stack };
  const cut = (text: string): string => text.replaceAll(detail, '...');
  return { ...rest, message: cut(message), stack: cut(stack) };
}
