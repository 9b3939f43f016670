import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * Which day it is for a user. A read or write that names a `timezone` is taken at its word; else their profile decides,
 * which identity keeps. Where that cannot be had, what was last known of them, else UTC: an entry must not be lost
 * because identity restarts, and its day can be corrected.
 */
export interface TimeZones {
  /** The IANA zone of the unit's user. */
  of(unit: UnitOfWork): Promise<string>;
}
