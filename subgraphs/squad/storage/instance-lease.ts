/*
 * Each instance has two keys in Redis that expire if it no longer renews them: `squad:instance:<instance>` for presence
 * (presence-keys.redis.ts), and the hash `squad:connected:<instance>` of its connected users (connection-times.redis.ts).
 */

/** The time between two renewals. */
export const RENEWAL_MILLIS = 2_000; // 2 s
/** An instance that has not renewed these keys for this time counts as lost, with its connections. */
export const LEASE_MILLIS = 8_000; // 8 s
/** A hash without fields does not exist in Redis, so the hash of connected users always has this field, too. */
export const ALIVE_FIELD = '_';
