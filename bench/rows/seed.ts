/**
 * Rows as members write them. Visits and the food log are those of three months, with 36 visits and 90 entries of each
 * member. Each statement takes the number of members as $1. Keys of time-ordered rows are UUIDs of version 7, as in the
 * services.
 */
const AT = `uuid_at(at)`;

/**
 * `uuid_at`: a UUID of version 7 for a time. `member`: the id of a row with a number (a member, gym, location or post),
 * which is always the same.
 */
export const FUNCTIONS = `create function uuid_at(at timestamptz) returns uuid language sql volatile as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
    || 'a' || substr(md5(random()::text), 1, 15))::uuid $$;
create function member(i bigint) returns uuid language sql immutable as
  $$ select overlay(overlay(md5('member' || i) placing '7' from 13) placing 'a' from 17)::uuid $$`;

/** Statements by service; the name of each is the table that it fills. */
export const SEEDS: Readonly<Record<string, readonly [table: string, statement: string][]>> = {
  identity: [
    [
      'user_account',
      `insert into user_account (id, email, password_hash, display_name, role, gym_id, membership_gym_id, membership_status, membership_since, qr_code, avatar, timezone, created_at, updated_at)
       select member(i), 'member-' || i || '@example.com', '$argon2id$v=19$m=19456,t=2,p=1$' || md5(i::text) || md5(i::text), 'Firstname Lastname',
         'MEMBER', member(i / 500), member(i / 500), 'ACTIVE', now(), 'FIT-' || md5(i::text), '/avatars/' || member(i) || '.webp', 'Europe/Berlin', now(), now()
       from generate_series(1, $1::int) as i`,
    ],
    [
      'login_session',
      `insert into login_session (id, user_id, user_agent, address, created_at, last_used_at, expires_at)
       select uuid_at(now()), member(i), repeat('Mozilla/5.0 (Linux; Android 15) ', 4), '203.0.113.7', now(), now(), now()
       from generate_series(1, $1::int) as i`,
    ],
    [
      // Each session has 40 tokens: one that is unused, and 39 used ones. Used tokens are kept for 30 days, and on about
      // ten of these days the member opens the app, which then refreshes its token four times.
      'refresh_token',
      `insert into refresh_token (hash, session_id, created_at, used_at)
       select left(md5(random()::text) || md5(random()::text), 43), s.id, now(), case when n > 1 then now() end
       from login_session s cross join generate_series(1, 40) as n where $1::int > 0`,
    ],
  ],
  gym: [
    [
      'gym',
      `insert into gym (id, slug, name, features, theme, assets, version, created_at, updated_at)
       select member(g), 'gym-' || g, 'Gym ' || g, '{}', '{}', '{}', 1, now(), now() from generate_series(0, $1::int / 500) as g`,
    ],
    [
      'location',
      `insert into location (id, gym_id, name, timezone, capacity, max_stay_minutes, created_at, updated_at)
       select member(g), member(g), 'Main', 'Europe/Berlin', 200, 90, now(), now() from generate_series(0, $1::int / 500) as g`,
    ],
    [
      'check_in',
      `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, source, checked_in_by)
       select ${AT}, member(i), member(i / 500), member(i / 500), at, at + interval '90 minutes', at + interval '70 minutes', 'MANUAL', 'QR', 'app', member(i)
       from (select 1 + n % $1::int as i, timestamptz '2026-08-01' + n * (interval '91 days' / ($1::int * 36)) as at from generate_series(1, $1::int * 36) as n) as visits`,
    ],
    [
      'post',
      `insert into post (id, gym_id, author_id, text, like_count, comment_count, created_at)
       select member(n + 10000000), member(n / 500), member(n), repeat('A text of some words. ', 5), 5, 1, now() from generate_series(1, $1::int) as n`,
    ],
    [
      'post_like',
      `insert into post_like (post_id, user_id, created_at)
       select member(n + 10000000), member(n + k), now() from generate_series(1, $1::int) as n, generate_series(1, 5) as k`,
    ],
    [
      'idempotency_record',
      `insert into idempotency_record (caller, key, operation, fingerprint, status, headers, body, created_at)
       select 'user:' || member(n), gen_random_uuid()::text, 'POST /locations/check-in', md5(n::text) || md5(n::text), 201,
         '{"Content-Type": "application/json; charset=utf-8"}', repeat('x', 330), now() from generate_series(1, $1::int) as n`,
    ],
  ],
  nutrition: [
    [
      'food_log',
      `insert into food_log (id, user_id, food_name, calories, protein, carbs, fats, quantity, unit, grams, meal_type, source, logged_at, local_date, created_at)
       select ${AT}, member(i), 'Oat flakes with milk', 380, 13.5, 58.7, 7.1, 1, 'bowl', 250, 'BREAKFAST', 'FOOD_TABLE', at, at::date, at
       from (select 1 + n % $1::int as i, timestamptz '2026-08-01' + n * (interval '91 days' / ($1::int * 90)) as at from generate_series(1, $1::int * 90) as n) as entries`,
    ],
    [
      'food_log_day',
      `insert into food_log_day (user_id, local_date, entries, calories, protein, carbs, fats)
       select user_id, local_date, count(*), sum(calories), sum(protein), sum(carbs), sum(fats) from food_log where $1::int > 0 group by 1, 2`,
    ],
  ],
  squad: [
    [
      'journal',
      `insert into journal (kind, id, seq, mark, base, changed_at)
       select 'chat', member(n)::text, 50, gen_random_uuid(), 0, now() from generate_series(0, $1::int / 50) as n`,
    ],
    [
      'journal_record',
      `insert into journal_record (kind, id, seq, mark, record)
       select 'chat', member(n / 50)::text, n % 50, gen_random_uuid(),
         json_build_object('is', 'message', 'id', member(n), 'squadId', member(n / 50), 'authorId', member(n), 'text', repeat('Go on. ', 6), 'sentAt', now())
       from generate_series(1, $1::int) as n`,
    ],
  ],
};
