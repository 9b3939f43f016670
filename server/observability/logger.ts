import { pino, type Logger } from 'pino';

export type { Logger };

/** Secrets that must not reach a log line, wherever they hide in a logged object. */
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
  return pino({
    level,
    base: { service },
    redact: { paths: REDACTED, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
