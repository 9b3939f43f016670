import type { UnitOfWork } from '#server/unit-of-work.ts';

/** What decides here how a user reads and which day it is for them. */
export interface Profile {
  /** IANA */
  timezone: string;
  /** BCP 47 */
  locale: string;
}

/**
 * The profile of a unit's user, which identity keeps. It is asked for at each unit of work that needs it, because a
 * change of the time zone must hold for the very next entry. If identity does not answer, what was last known of the
 * user, else UTC and English: an entry must not be lost because identity restarts, and its day can be corrected.
 */
export interface Profiles {
  of(unit: UnitOfWork): Promise<Profile>;
}
