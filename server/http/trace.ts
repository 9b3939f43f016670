import { randomFillSync, randomUUID } from 'node:crypto';

/** The caller's `X-Request-Id` if it has a safe form, else a new id. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID();

/**
 * A `traceparent` of version 00 (W3C Trace Context, section 3.2) with the caller's trace id and flags and a new span id; a new
 * trace if the caller sent no valid header.
 */
export function continued(header: string | string[] | undefined): string {
  const span = randomHex(8);
  const given =
    typeof header === 'string' ? /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(header) : null;
  if (given && !/^0+$/.test(given[1] ?? '')) return `00-${given[1]}-${span}-${given[2]}`;
  return `00-${randomHex(16)}-${span}-00`;
}

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
