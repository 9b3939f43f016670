/**
 * Creates an id: UUID version 7 (RFC 9562), so that ids sort by their creation time and new rows are added at the end of
 * an index. The process creates it and not the database (only PostgreSQL 18 could), so that an id exists before its row
 * is written. Every id of one process is greater than the previous one, also within one millisecond and when the clock is
 * set back.
 */
export { v7 as uuidv7 } from 'uuid';

/** The smallest possible id of this time: ids that were created earlier are smaller. */
export function firstIdOf(time: Date): string {
  const millis = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${millis.slice(0, 8)}-${millis.slice(8)}-0000-0000-000000000000`;
}

/** Whether the text is a UUID of any version. A path parameter must be one before it is compared with a uuid column. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/**
 * A UUID in lower case, any other text unchanged. The doors of the services apply it to every id that a request contains
 * (RFC 9562, section 4: upper case is accepted), so the rules may compare ids as texts.
 */
export const lowerCaseId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);
