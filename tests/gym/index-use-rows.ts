import { classRows } from './index-use-of-classes.ts';
import { shopSeed } from './index-use-shop.ts';

interface Sizes {
  gymId: string;
  locationId: string;
  visits: number;
  members: number;
}

/** Statements that fill the tables of the service: many rows for one gym, and a few for each of 1,500 other gyms. */
export const rowsOfEveryTable = ({ gymId, locationId, visits, members }: Sizes): string[] => [
  'set statement_timeout = 0', // many visits take longer than the limit
  `insert into gym (id, slug, name, theme, assets, features, version, created_at, updated_at)
     select gen_random_uuid(), 'gym-' || n, 'Gym ' || n, '{}', '{}', '{}', 1, now(), now() from generate_series(1, 1500) n`,
  `insert into gym_config_version (gym_id, version, theme, assets, features, published_by, published_at)
     select id, v, '{}', '{}', '{}', gen_random_uuid()::text, now() from gym, generate_series(2, 3) v where id <> '${gymId}'`,
  `insert into gym_config_draft (gym_id, theme, assets, features, based_on_version, updated_at, updated_by)
     select id, '{}', '{}', '{}', 1, now(), gen_random_uuid()::text from gym where id <> '${gymId}'`,
  `insert into location (id, gym_id, name, timezone, capacity, created_at, updated_at)
     select gen_random_uuid(), id, 'Hall ' || n, 'UTC', 50, now(), now() from gym, generate_series(1, 2) n`,
  `insert into gym_product (gym_id, product_id, position) select id, gen_random_uuid(), n from gym, generate_series(1, 3) n`,
  `insert into gym_program (gym_id, routine_id, position) select id, gen_random_uuid(), n from gym, generate_series(1, 3) n`,
  `insert into announcement (id, gym_id, author_id, title, text, starts_at, ends_at, created_at)
     select gen_random_uuid(), id, gen_random_uuid(), 'News', 'Text', now() - n * interval '1 day', now() - (n - 1) * interval '1 day', now()
     from gym, generate_series(0, 3) n`,
  `insert into challenge (id, gym_id, title, metric, goal, starts_at, ends_at, created_at)
     select gen_random_uuid(), id, 'Race', 'CHECK_INS', 9, now() - n * interval '30 days', now() - (n - 1) * interval '30 days', now()
     from gym, generate_series(0, 3) n`,
  `create temporary table person as select gen_random_uuid() as id, n from generate_series(1, ${members}) n`,
  `insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at)
     select race.id, person.id, person.n % 50, now(), now() from person,
       lateral (select id from challenge where gym_id = '${gymId}' limit 3) as race`,
  `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, checked_in_by)
     select gen_random_uuid(), person.id, '${gymId}', '${locationId}', at, at + interval '90 minutes', at + interval '1 hour', 'MANUAL', 'QR', person.id
     from person, generate_series(1, 9) visit, lateral (select now() - (visit * 37 + random() * 30) * interval '1 day' as at) as time`,
  `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, checked_in_by)
     select gen_random_uuid(), null, gym_id, location.id, now() - interval '9 days', now() - interval '8 days', now() - interval '8 days', 'MANUAL', 'QR', gen_random_uuid()
     from location where gym_id <> '${gymId}' limit ${members}`,
  ...classRows(gymId, locationId, visits),
  `insert into check_in_denial (id, gym_id, location_id, user_id, reason, presented_by, denied_at)
     select gen_random_uuid(), '${gymId}', '${locationId}', person.id, 'LOCATION_FULL', gen_random_uuid(), now() from person, generate_series(1, 5)`,
  `insert into post (id, gym_id, author_id, text, like_count, comment_count, created_at)
     select gen_random_uuid(), '${gymId}', person.id, 'Hello', 2, 2, now() from person`,
  `insert into post (id, gym_id, author_id, text, created_at)
     select gen_random_uuid(), id, gen_random_uuid(), 'Hello', now() from gym, generate_series(1, 3) n where id <> '${gymId}'`,
  `insert into post_like (post_id, user_id, created_at)
     select id, gen_random_uuid(), now() from post, generate_series(1, 2) where author_id in (select id from person)`,
  `insert into post_comment (id, post_id, author_id, text, created_at)
     select gen_random_uuid(), id, gen_random_uuid(), 'Yes', now() from post, generate_series(1, 2) where author_id in (select id from person)`,
  `insert into post_report (post_id, reporter_id, gym_id, reason, created_at)
     select id, gen_random_uuid(), gym_id, 'Rude', now() from post where author_id in (select id from person)`,
  ...shopSeed(gymId),
  `insert into audit_event (id, gym_id, actor_id, action, details, at)
     select gen_random_uuid(), '${gymId}', gen_random_uuid()::text, 'CHECK_IN_UNDONE', jsonb_build_object('userId', id), now() from person, generate_series(1, 2)`,
  `insert into event (id, type, gym_id, subject, location_id, people, occurred_at, data, published_at)
     select gen_random_uuid(), 'check_in.opened', '${gymId}', 'check-in/' || person.id, '${locationId}', array[person.id],
       now() - (9000 - person.n) * interval '1 minute', jsonb_build_object('userId', person.id), now() - interval '1 day'
     from person, generate_series(1, 3) order by person.n`,
  `insert into event (id, type, gym_id, subject, people, occurred_at, data, published_at)
     select gen_random_uuid(), 'gym.deployed', id, 'gym/' || id, '{}', now(), '{}', now() - interval '1 day' from gym`,
  `insert into webhook (id, gym_id, url, types, secret, since_position, created_at)
     select gen_random_uuid(), id, 'https://192.0.2.1/', '{gym.deployed}', 'whsec_AAAA', 0, now() from gym limit 500`,
  `insert into webhook_delivery (id, webhook_id, event_id, type, subject, position, status, attempts)
     select gen_random_uuid(), webhook.id, gen_random_uuid(), 'gym.deployed', 'gym/' || n, n, 'DELIVERED', '[]' from webhook, generate_series(1, 40) n`,
  `insert into webhook_delivery (id, webhook_id, event_id, type, subject, position, status, attempts, next_attempt_at)
     select gen_random_uuid(), webhook.id, gen_random_uuid(), 'gym.deployed', 'gym/' || n, n + 100, 'PENDING', '[]', now() + interval '1 day' from webhook, generate_series(1, 4) n`,
  `update webhook_cursor set position = (select max(position) from event)`,
  `insert into idempotency_record (caller, key, operation, fingerprint, status, headers, created_at)
     select 'user:' || id, 'key', 'POST /posts', 'x', 201, '{}', now() from person`,
  'analyze',
];
