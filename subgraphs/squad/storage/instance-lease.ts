/* Each instance has hashes of its own in Redis, which expire if it no longer renews them. */

/** The time between two renewals. */
export const RENEWAL_MILLIS = 2_000; // 2 s
/** The connections of an instance that has not renewed its hashes for this time count as lost. */
export const LEASE_MILLIS = 8_000; // 8 s
/** A hash without fields does not exist in Redis, so each has this field besides those of its users. */
export const ALIVE_FIELD = '_';
