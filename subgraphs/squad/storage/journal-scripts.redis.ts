/* Lua scripts: each is one atomic operation on a journal. KEYS: the list; the hash with `total` and `base`. */

/** ARGV: the caller's total. Returns the total, whether the entries are the whole list, and the entries that the caller lacks. */
export const PULL = `
local known = tonumber(ARGV[1])
local total = tonumber(redis.call('HGET', KEYS[2], 'total') or '0')
local base = tonumber(redis.call('HGET', KEYS[2], 'base') or '0')
if known >= total then return {total, 0, {}} end
if known < base then return {total, 1, redis.call('LRANGE', KEYS[1], 0, -1)} end
return {total, 0, redis.call('LRANGE', KEYS[1], known - total, -1)}`;

/** ARGV: the total on which the records were decided, the channel, seconds until expiry (0: never), the records. */
export const APPEND = `
local total = tonumber(redis.call('HGET', KEYS[2], 'total') or '0')
if total ~= tonumber(ARGV[1]) then return {0, 0} end
local length = 0
for i = 4, #ARGV do length = redis.call('RPUSH', KEYS[1], ARGV[i]) end
total = redis.call('HINCRBY', KEYS[2], 'total', #ARGV - 3)
if ARGV[3] ~= '0' then
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  redis.call('EXPIRE', KEYS[2], ARGV[3])
end
redis.call('PUBLISH', ARGV[2], total)
return {1, length}`;

/** ARGV: the total to which the records lead, the new base, the records. The list keeps its time of expiry. */
export const REPLACE = `
if redis.call('HGET', KEYS[2], 'total') ~= ARGV[1] then return 0 end
local expiry = redis.call('PTTL', KEYS[1])
redis.call('DEL', KEYS[1])
for i = 3, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
if expiry > 0 then redis.call('PEXPIRE', KEYS[1], expiry) end
redis.call('HSET', KEYS[2], 'base', ARGV[2])
return 1`;

/** ARGV: as APPEND. The records replace all others, and count as one more, so that every instance reads the whole list. */
export const REWRITE = `
if tonumber(redis.call('HGET', KEYS[2], 'total') or '0') ~= tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
for i = 4, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
local total = redis.call('HINCRBY', KEYS[2], 'total', 1)
redis.call('HSET', KEYS[2], 'base', total)
if ARGV[3] ~= '0' then
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  redis.call('EXPIRE', KEYS[2], ARGV[3])
end
redis.call('PUBLISH', ARGV[2], total)
return 1`;

/**
 * ARGV: the total to which the records lead, seconds until expiry (0: never), the records. They are refused if Redis has as
 * many or more.
 */
export const SEED = `
if tonumber(redis.call('HGET', KEYS[2], 'total') or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
for i = 3, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
redis.call('HSET', KEYS[2], 'total', ARGV[1], 'base', ARGV[1])
if ARGV[2] ~= '0' then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
return 1`;
