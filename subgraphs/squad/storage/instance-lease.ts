/*
 * Each instance has two keys in Redis that expire if it no longer renews them: `squad:instance:<instance>` for presence
 * (presence-keys.redis.ts), and the hash `squad:connected:<instance>` of its connected users (connection-times.redis.ts).
 */

/** The time between two renewals. */
export const RENEWAL_MILLIS = 2_000; // 2 s
/** An instance that has not renewed these keys for this time counts as lost, with its connections. */
export const LEASE_MILLIS = 8_000; // 8 s
/**
 * A field of the hash of connected users, which only a write of the whole hash sets. Without
 * it the hash has been lost, and may have been made again by a user who has connected since. It also keeps a hash of connected
 * users that is empty, which Redis would remove.
 */
export const COMPLETE_FIELD = '_';
