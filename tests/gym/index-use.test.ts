import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { gym as gymService } from '../../subgraphs/gym/subgraph.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { sequentialScans, type PlanNode } from '../support/index-use.ts';
import { statementsDuring, type SentStatement } from '../support/statements.ts';
import { classRows, everyDoorOfClasses } from './index-use-of-classes.ts';
import { shopSeed, useModeration, useShop } from './index-use-shop.ts';
import { checkIn, idsOf, newMember, place, type Member } from './support.ts';

/** The number of visits. `SEEDED_VISITS=1000000 npm test -- tests/gym/index-use.test.ts` tests with several years of data. */
const VISITS = Number(process.env.SEEDED_VISITS ?? 20_000);
const MEMBERS = VISITS / 10;

let platform: TestPlatform;
let sent: SentStatement[];
const called = new Set<string>();
const unexpected: string[] = [];

const iron = DEMO_GYMS.ironTemple.id;
const FORGE = '01900000-0000-7000-8301-030100000001';

/** One gym with rows in every table, and 1,500 others with a few rows each. */
async function seed(): Promise<void> {
  const statements = [
    'set statement_timeout = 0', // for many visits
    `insert into gym (id, slug, name, theme, assets, features, version, created_at, updated_at)
     select gen_random_uuid(), 'gym-' || n, 'Gym ' || n, '{}', '{}', '{}', 1, now(), now() from generate_series(1, 1500) n`,
    `insert into gym_config_version (gym_id, version, theme, assets, features, published_by, published_at)
     select id, v, '{}', '{}', '{}', gen_random_uuid()::text, now() from gym, generate_series(2, 3) v where id <> '${iron}'`,
    `insert into gym_config_draft (gym_id, theme, assets, features, based_on_version, updated_at, updated_by)
     select id, '{}', '{}', '{}', 1, now(), gen_random_uuid()::text from gym where id <> '${iron}'`,
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
    `create temporary table person as select gen_random_uuid() as id, n from generate_series(1, ${MEMBERS}) n`,
    `insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at)
     select race.id, person.id, person.n % 50, now(), now() from person,
       lateral (select id from challenge where gym_id = '${iron}' limit 3) as race`,
    `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, checked_in_by)
     select gen_random_uuid(), person.id, '${iron}', '${FORGE}', at, at + interval '90 minutes', at + interval '1 hour', 'MANUAL', 'QR', person.id
     from person, generate_series(1, 9) visit, lateral (select now() - (visit * 37 + random() * 30) * interval '1 day' as at) as time`,
    `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, checked_in_by)
     select gen_random_uuid(), null, gym_id, location.id, now() - interval '9 days', now() - interval '8 days', now() - interval '8 days', 'MANUAL', 'QR', gen_random_uuid()
     from location where gym_id <> '${iron}' limit ${MEMBERS}`,
    ...classRows(iron, FORGE, VISITS),
    `insert into check_in_denial (id, gym_id, location_id, user_id, reason, presented_by, denied_at)
     select gen_random_uuid(), '${iron}', '${FORGE}', person.id, 'LOCATION_FULL', gen_random_uuid(), now() from person, generate_series(1, 5)`,
    `insert into post (id, gym_id, author_id, text, like_count, comment_count, created_at)
     select gen_random_uuid(), '${iron}', person.id, 'Hello', 2, 2, now() from person`,
    `insert into post (id, gym_id, author_id, text, created_at)
     select gen_random_uuid(), id, gen_random_uuid(), 'Hello', now() from gym, generate_series(1, 3) n where id <> '${iron}'`,
    `insert into post_like (post_id, user_id, created_at)
     select id, gen_random_uuid(), now() from post, generate_series(1, 2) where author_id in (select id from person)`,
    `insert into post_comment (id, post_id, author_id, text, created_at)
     select gen_random_uuid(), id, gen_random_uuid(), 'Yes', now() from post, generate_series(1, 2) where author_id in (select id from person)`,
    `insert into post_report (post_id, reporter_id, gym_id, reason, created_at)
     select id, gen_random_uuid(), gym_id, 'Rude', now() from post where author_id in (select id from person)`,
    ...shopSeed(iron),
    `insert into audit_event (id, gym_id, actor_id, action, details, at)
     select gen_random_uuid(), '${iron}', gen_random_uuid()::text, 'CHECK_IN_UNDONE', jsonb_build_object('userId', id), now() from person, generate_series(1, 2)`,
    `insert into event (id, type, gym_id, subject, location_id, people, occurred_at, data, published_at)
     select gen_random_uuid(), 'check_in.opened', '${iron}', 'check-in/' || person.id, '${FORGE}', array[person.id],
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
  await platform.sql('gym', statements.join(';\n'));
}

/** A challenge with many participants. */
let race: string;
let member: Member;
let other: Member;
let staffToken: string;
let superAdminToken: string;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym', 'content'],
  });
  staffToken = await platform.demo('admin@iron.test');
  superAdminToken = await platform.demo('super@demo.test');
  [member, other] = [await newMember(platform), await newMember(platform)];
  await seed();
  [{ id: race }] = (await platform.sql(
    'gym',
    'select challenge_id as id from challenge_participant where score = 7 limit 1',
  )) as [{ id: string }];
  sent = await statementsDuring(everyDoor);
});
afterAll(() => platform.stop());

/** Calls a route by its declared path; `:name` is replaced by the value of that name. */
async function route(
  method: string,
  path: string,
  token: string,
  { body, query = '', ...params }: Record<string, unknown> & { body?: object; query?: string } = {},
): Promise<Untyped> {
  called.add(`${method} ${path}`);
  const at = path.replace(/:(\w+)/g, (_all, name: string) => String(params[name])) + query;
  const answer = await platform.rest('gym', method, at, { token, ...(body && { body }) });
  if (answer.status >= 300)
    unexpected.push(`${method} ${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Reads the next page of a list, by the `Link` of the page at `path`. */
async function nextPage(path: string, token: string): Promise<void> {
  const { headers } = await platform.rest('gym', 'GET', path, { token });
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (!next) throw new Error(`${path} has only one page`);
  await platform.rest('gym', 'GET', next, { token });
}

async function graph(query: string, token: string, variables: object = {}): Promise<void> {
  const { errors } = await platform.graph('gym', query, variables, { token });
  if (errors) unexpected.push(`${query}: ${JSON.stringify(errors)}`);
}

async function everyDoor(): Promise<void> {
  const gymId = iron;
  const { token, qrCode } = member;

  await route('GET', '/gyms', token, { query: '?name=Gym%207' });
  await route('GET', '/gyms/:gymId', token, { gymId: 'iron-temple' });
  await route('PUT', '/gyms/:gymId', staffToken, { gymId, body: { timezone: 'Europe/Berlin' } });
  await route('GET', '/gym/config/:gymId', token, { gymId: 'iron-temple' });
  await route('GET', '/gym/config/:gymId/tokens', token, { gymId });
  await route('PUT', '/gym/config/:gymId/draft', superAdminToken, { gymId, body: { features: { a: true } } });
  await route('GET', '/gym/config/:gymId/draft', superAdminToken, { gymId });
  await route('POST', '/gym/config/:gymId/publish', superAdminToken, { gymId });
  await route('PUT', '/gym/config', superAdminToken, { body: { gymId, features: { b: true } } });
  await route('GET', '/gym/config/:gymId/history', staffToken, { gymId });
  await nextPage(`/gym/config/${gymId}/history?limit=1`, staffToken);
  await route('POST', '/gym/config/:gymId/rollback', superAdminToken, { gymId, body: { version: 1 } });
  await route('POST', '/gyms', superAdminToken, { body: { name: 'Planned', slug: 'planned' } });
  const wizard = await platform.serviceToken('wizard');
  const made = { id: randomUUID(), name: 'Made', slug: 'made' };
  await route('POST', '/gyms', wizard, { body: made });
  await route('POST', '/locations', wizard, { body: { ...place(), id: randomUUID(), gymId: made.id } });
  await route('POST', '/gyms/:gymId/open', wizard, { gymId: made.id });
  await route('DELETE', '/gyms/:gymId', wizard, { gymId: made.id });

  const location = await route('POST', '/locations', staffToken, { body: place() });
  await route('PUT', '/locations/:id', staffToken, { id: location.id, body: { capacity: 2 } });
  await route('GET', '/locations', token);
  await route('GET', '/locations/:id', token, { id: FORGE });
  await route('GET', '/locations/:id/occupancy', token, { id: FORGE });
  await route('GET', '/locations/:id/occupancy/history', token, { id: FORGE });
  await route('GET', '/locations/:id/occupancy/chart.svg', token, { id: FORGE });
  await route('GET', '/locations/:id/denials', staffToken, { id: FORGE });
  await route('GET', '/locations/:id/visits', staffToken, { id: FORGE, query: '?from=2026-01-01' });
  await nextPage(`/locations/${FORGE}/visits?limit=1`, staffToken);
  const aDay = `?from=${new Date(Date.now() - 40 * 86_400_000).toISOString()}&to=${new Date(Date.now() - 39 * 86_400_000).toISOString()}`;
  await route('GET', '/locations/:id/visits.csv', staffToken, { id: FORGE, query: aDay });
  await route('GET', '/audit', staffToken);
  await route('GET', '/audit', staffToken, { query: '?action=CHECK_IN_UNDONE&from=2026-01-01' });
  await nextPage('/audit?limit=1', staffToken);
  await nextPage(`/locations/${FORGE}/denials?limit=1`, staffToken);

  const during = {
    startsAt: new Date(Date.now() - 3_600_000).toISOString(),
    endsAt: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const visits = await route('POST', '/challenges', staffToken, {
    body: { title: 'Visits', metric: 'CHECK_INS', goal: 9, ...during },
  });
  const custom = await route('POST', '/challenges', staffToken, {
    body: { title: 'Custom', metric: 'CUSTOM', goal: 9, ...during },
  });
  await route('POST', '/challenges/:id/join', token, { id: visits.id });
  await route('POST', '/challenges/:id/join', token, { id: custom.id });
  await route('POST', '/challenges/:id/progress', token, { id: custom.id, body: { amount: 3 } });
  await route('GET', '/challenges', token);
  await route('GET', '/challenges/:id', token, { id: visits.id });
  await route('GET', '/challenges/:id/leaderboard', token, { id: race });
  await nextPage(`/challenges/${race}/leaderboard?limit=1`, token);

  const visit = await route('POST', '/locations/check-in', token, { body: { qrCode, locationId: FORGE } });
  await route('GET', '/locations/:id/people', staffToken, { id: FORGE });
  await checkIn(platform, token, { qrCode, locationId: FORGE }); // a second scan
  await checkIn(platform, token, { qrCode, locationId: location.id }); // moved
  await checkIn(platform, token, { qrCode: other.qrCode, locationId: FORGE }); // denied
  await route('GET', '/check-ins', token);
  await nextPage('/check-ins?limit=1', token);
  await nextPage(`/check-ins?limit=1&userId=${member.id}`, staffToken);
  await route('DELETE', '/check-ins/:id', staffToken, { id: visit.id });
  await route('POST', '/locations/check-out', token, { body: {} });
  await route('DELETE', '/locations/:id', staffToken, { id: location.id });
  await route('POST', '/challenges/:id/leave', token, { id: visits.id });

  await everyDoorOfClasses(
    platform,
    { route, nextPage },
    { staff: staffToken, member, other, locationId: FORGE },
  );

  const news = await route('POST', '/announcements', staffToken, { body: { title: 'News', text: 'Text' } });
  await route('GET', '/announcements', token);
  await route('DELETE', '/announcements/:id', staffToken, { id: news.id });

  const post = await route('POST', '/posts', token, { body: { text: 'Hello' } });
  const { id } = post;
  await route('GET', '/posts', token);
  await nextPage('/posts?limit=1', token);
  await route('GET', '/posts/:id', token, { id });
  await route('PUT', '/posts/:id/like', token, { id });
  await route('DELETE', '/posts/:id/like', token, { id });
  for (const text of ['One', 'Two'])
    await route('POST', '/posts/:id/comments', token, { id, body: { text } });
  await route('GET', '/posts/:id/comments', token, { id });
  await nextPage(`/posts/${id}/comments?limit=1`, token);
  await route('POST', '/posts/:id/report', other.token, { id, body: { reason: 'Rude' } });
  await route('GET', '/posts/reports', staffToken);
  await nextPage('/posts/reports?limit=1', staffToken);
  await route('DELETE', '/posts/:id', staffToken, { id });
  called.add('GET /media/:file'); // reads no table
  await useModeration({ route, nextPage }, { staff: staffToken, member, other });

  await runScheduled(platform, 'gym', 'end_expired_visits');
  const endings = `select 1 from graphile_worker.jobs where task_identifier = 'end_expired_visits' and run_at <= now()`;
  await eventually(async () => (await platform.sql('gym', endings)).length === 0);
  const [job] = await platform.sql(
    'gym',
    `select id::text from graphile_worker.add_job('never_run', run_at => now() + interval '1 day')`,
  );
  await route('GET', '/jobs', superAdminToken, { query: '?failed=false&name=never_run' });
  await route('POST', '/jobs/:id/retry', superAdminToken, { id: job.id });

  const [[productId], [routineId]] = [await idsOf(platform, 'products'), await idsOf(platform, 'workouts')];
  await route('PUT', '/gym/:gymId/products', staffToken, {
    gymId,
    body: { products: [{ productId }] },
  });
  await route('GET', '/gym/:gymId/products', token, { gymId });
  await useShop({ route, nextPage }, { gymId, productId: productId ?? '', staff: staffToken, member, other });
  await route('PUT', '/gym/:gymId/programs', staffToken, {
    gymId,
    body: { programs: [{ routineId }] },
  });
  await route('GET', '/gym/:gymId/programs', token, { gymId });

  await graph(
    `query ($gymId: ID!, $users: [_Any!]!) {
      gym(id: $gymId) {
        config { version } products { price } productsVersion programs { note } announcements { title }
        locations { name occupancy { people } occupancyHistory { peak } people { visit { id } } visits(first: 3) { nodes { id } } }
        challenges { title score ownRank { rank } leaderboard(first: 3) { nodes { rank } } }
        posts(first: 5) { nodes { text likedByMe likes { id } comments(first: 2) { nodes { text } } } }
      }
      _entities(representations: $users) { ... on User { checkIns(first: 3) { nodes { location { name } } } currentCheckIn { id } orders(first: 2) { nodes { id } } } }
    }`,
    staffToken,
    { gymId, users: [member, other].map((user) => ({ __typename: 'User', id: user.id })) },
  );

  await route('GET', '/events', staffToken);
  await route('GET', '/events', superAdminToken, { query: '?types=check_in.opened,gym.deployed&limit=3' });

  const hook = await route('POST', '/webhooks', staffToken, {
    body: { url: 'https://192.0.2.2.example/', types: ['check_in.opened'] },
  });
  await route('GET', '/webhooks', staffToken);
  await nextPage('/webhooks?limit=1', superAdminToken);
  await route('GET', '/webhooks/:id', staffToken, hook);
  await route('PUT', '/webhooks/:id', staffToken, { ...hook, body: { description: 'CRM' } });
  await route('POST', '/webhooks/:id/rotate-secret', staffToken, hook);
  const sentNow = await route('POST', '/webhooks/:id/test', staffToken, hook);
  await route('POST', '/webhooks/:id/replay', staffToken, {
    ...hook,
    body: {
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date(Date.now() - 59_000).toISOString(),
    },
  });
  await route('GET', '/webhooks/:id/deliveries', staffToken, hook);
  await route('GET', '/webhooks/:id/deliveries', staffToken, { ...hook, query: '?status=PENDING' });
  await route('POST', '/webhooks/:id/deliveries/:deliveryId/replay', staffToken, {
    ...hook,
    deliveryId: sentNow.id,
  });
  await route('DELETE', '/webhooks/:id', staffToken, hook);

  // The routes above have deleted many rows of this account. It gets rows in every table again, and is then exported and erased.
  const identity = await platform.serviceToken('identity');
  await route('POST', '/challenges/:id/join', other.token, { id: custom.id });
  await checkIn(platform, other.token, { qrCode: other.qrCode, locationId: location.id });
  await route('POST', '/memberships/ended', identity, { body: { userId: other.id, gymId, before: null } });
  const own = await route('POST', '/posts', other.token, { body: { text: 'Mine' } });
  await route('PUT', '/posts/:id/like', other.token, { id: own.id });
  await checkIn(platform, other.token, { qrCode: other.qrCode, locationId: FORGE });
  const content = await platform.serviceToken('content');
  await route('DELETE', '/references/:typeName/:id', content, { typeName: 'Product', id: productId });
  await route('DELETE', '/references/:typeName/:id', content, { typeName: 'WorkoutRoutine', id: routineId });
  await route('GET', '/accounts/:userId/records', identity, { userId: other.id });
  await route('DELETE', '/accounts/:userId', identity, { userId: other.id });
}

it('every route of the gym service is called, and answers without an error', () => {
  const declared = gymService.rest.map(({ method, path }) => `${method} ${path}`);
  expect(declared.filter((one) => !called.has(one))).toEqual([]);
  expect(unexpected).toEqual([]);
});

it('every statement of the service finds its rows in large tables by an index', async () => {
  // Selects the tables of this service, because the other services of the platform run in this process, too.
  expect(sent.filter(({ text }) => text.includes('expires_at <= now()'))).not.toEqual([]);
  const own = sent.filter(({ text }) =>
    /\b(check_in|booking|class_session|post|challenge|gym|location|audit_event|shop_order|stock_movement|comment_report)/.test(
      text,
    ),
  );
  expect(own.length).toBeGreaterThan(150);
  const run = (sql: string, values?: unknown[]) => platform.sql('gym', sql, values);
  expect(await sequentialScans(run, sent)).toEqual([]);
});

const scansOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(scansOf)];

it('no statement of the service reads the whole of a large index', async () => {
  const whole = new Set<string>();
  // The index of open visits, for example, is small for any number of visits.
  const large = await platform.sql(
    'gym',
    `select relname from pg_class where relkind = 'i' and reltuples > 1000`,
  );
  const isLarge = new Set(large.map(({ relname }) => relname as string));
  const [{ database }] = await platform.sql('gym', 'select current_database() as database');
  for (const { text, values, database: to } of sent) {
    if (to !== database || !/^\s*(select|with|update|delete)\b/i.test(text)) continue;
    const [row] = await platform.sql('gym', `explain (format json) ${text}`, [...values]);
    for (const scan of scansOf(row['QUERY PLAN'][0].Plan))
      if (
        /^Index (Only )?Scan/.test(scan['Node Type']) &&
        !scan['Index Cond'] &&
        isLarge.has(scan['Index Name'] ?? '')
      )
        whole.add(`${scan['Index Name']}: ${text}`);
  }
  expect([...whole]).toEqual([]);
});

it('this test finds a table that is read as a whole, if its index is missing', async () => {
  const run = (sql: string, values?: unknown[]) => platform.sql('gym', sql, values);
  await platform.sql('gym', 'drop index check_in_user_id_checked_in_at_id_index');
  const found = await sequentialScans(run, sent);
  expect(found.some((one) => one.startsWith('check_in: ') && one.includes('user_id ='))).toBe(true);
});
