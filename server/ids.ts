import { randomFillSync } from 'node:crypto';

/**
 * A new id: UUID version 7 (RFC 9562), so that ids sort by their creation time and new rows are added at the end of an
 * index. It is made here and not by the database (only PostgreSQL 18 could), so that an id exists before its row is
 * written.
 *
 * Every id of one process is greater than the previous one, also within one millisecond and when the clock is set back:
 * the 12 bits after the version are a counter (RFC 9562 section 6.2, method 1), which begins each millisecond at a random
 * number in its lower half; when it is full, the id takes the next millisecond.
 */
export function uuidv7(): string {
  const now = Date.now();
  randomFillSync(random);
  if (now > lastMillis) {
    lastMillis = now;
    counter = random.readUInt16BE(0) & 0x7ff;
  } else if (++counter > 0xfff) {
    lastMillis += 1;
    counter = 0;
  }
  const time = lastMillis.toString(16).padStart(12, '0');
  const count = counter.toString(16).padStart(3, '0');
  const variant = (0x8000 | (random.readUInt16BE(2) & 0x3fff)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${variant}-${random.toString('hex', 4)}`;
}

/** The smallest possible id of this time: ids that were made earlier are smaller. */
export function firstIdOf(time: Date): string {
  const millis = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${millis.slice(0, 8)}-${millis.slice(8)}-0000-0000-000000000000`;
}

/** Whether the text is a UUID of any version. A path parameter must be one before it is compared with a uuid column. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

let lastMillis = 0;
let counter = 0;
const random = Buffer.alloc(10);
