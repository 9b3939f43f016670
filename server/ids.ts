import { randomFillSync } from 'node:crypto';

/**
 * A new id: UUID version 7 (RFC 9562), so that ids sort by the time of their making and new rows land at the end
 * of an index. Made here and not by the database, where only PostgreSQL 18 could, so that an id is known before
 * its row is written.
 *
 * Every id of one process is greater than the one before it, within one millisecond and over clock changes too:
 * the 12 bits after the version count (RFC 9562 section 6.2, method 1), starting anew at a random number in the
 * lower half with each millisecond; a full counter borrows from the next millisecond.
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

/** The smallest id that could be made at this time: ids of older things are smaller. */
export function firstIdOf(time: Date): string {
  const millis = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${millis.slice(0, 8)}-${millis.slice(8)}-0000-0000-000000000000`;
}

/** Whether the text is a UUID of any version, as a path parameter must be before it may reach a uuid column. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

let lastMillis = 0;
let counter = 0;
const random = Buffer.alloc(10);
