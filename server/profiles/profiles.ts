import type { UnitOfWork } from '../unit-of-work.ts';

/** The part of a user's profile that decides their language and which day it is for them. */
export interface Profile {
  /** IANA */
  timezone: string;
  /** BCP 47 */
  locale: string;
}

/**
 * The profile of a unit's user, which identity stores. Each unit of work that needs it asks again, because a change of the
 * time zone must apply to the next entry. If identity does not answer, the last known profile is returned, else UTC and
 * English: no entry should be lost because identity restarts, and the day of an entry can be corrected later.
 */
export interface Profiles {
  of(unit: UnitOfWork): Promise<Profile>;
  /** Closes the connections to identity. */
  close(): Promise<void>;
}
