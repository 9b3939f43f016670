import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { gym as gymService } from '../../subgraphs/gym/subgraph.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { sequentialScans, type PlanNode } from '../support/index-use.ts';
import { statementsDuring, type SentStatement } from '../support/statements.ts';
import { useClasses } from './index-use-of-classes.ts';
import { rowsOfEveryTable } from './index-use-rows.ts';
import { useModeration, useShop } from './index-use-shop.ts';
import { useWebhooks } from './index-use-webhooks.ts';
import { checkIn, idsOf, newMember, place, type Member } from './support.ts';

/**
 * The approximate number of visits, and of bookings. `SEEDED_VISITS=1000000 npm test -- tests/gym/index-use.test.ts`
 * tests with several years of data.
 */
const VISITS = Number(process.env.SEEDED_VISITS ?? 20_000);

let platform: TestPlatform;
let sent: SentStatement[];
const called = new Set<string>();
const unexpected: string[] = [];

const iron = DEMO_GYMS.ironTemple.id;
const FORGE = '01900000-0000-7000-8301-030100000001';

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
  const statements = rowsOfEveryTable({
    gymId: iron,
    locationId: FORGE,
    visits: VISITS,
    members: VISITS / 10,
  });
  await platform.sql('gym', statements.join(';\n'));
  [{ id: race }] = (await platform.sql(
    'gym',
    'select challenge_id as id from challenge_participant where score = 7 limit 1',
  )) as [{ id: string }];
  sent = await statementsDuring(everyDoor);
});
afterAll(() => platform.stop());

/** Calls a route by its declared path; `:name` is replaced by the parameter of that name. */
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
  const minutes = await route('POST', '/challenges', staffToken, {
    body: { title: 'Minutes', metric: 'MINUTES', goal: 9, ...during },
  });
  await route('POST', '/challenges/:id/join', token, { id: minutes.id });
  await route('POST', '/challenges/:id/recount', await platform.demo('super@demo.test'), { id: minutes.id });
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

  await useClasses(platform, { route, nextPage }, { staff: staffToken, member, other, locationId: FORGE });

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

  for (const name of ['end_expired_visits', 'send_webhooks']) {
    await runScheduled(platform, 'gym', name);
    const due = `select 1 from graphile_worker.jobs where task_identifier = '${name}' and run_at <= now()`;
    await eventually(async () => (await platform.sql('gym', due)).length === 0);
  }
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

  await useWebhooks({ route, nextPage }, { staff: staffToken, superAdmin: superAdminToken });

  // The routes above have deleted many rows of `other`. The account gets new rows, and is then exported and erased.
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
  for (const ofJob of ['select distinct location_id as id from check_in', 'with recursive first'])
    expect(sent.filter(({ text }) => text.includes(ofJob))).not.toEqual([]);
  // Counts only the statements on tables of this service, because other services run in this process, too.
  const own = sent.filter(({ text }) =>
    /\b(check_in|booking|class_session|post|challenge|gym|location|audit_event|shop_order|stock_movement|comment_report)/.test(
      text,
    ),
  );
  expect(own.length).toBeGreaterThan(150);
  const run = (sql: string, values?: unknown[]) => platform.sql('gym', sql, values);
  expect(await sequentialScans(run, sent)).toEqual([]);
});

/** The nodes of a plan, except scans without a filter directly below a LIMIT, which read only the first rows. */
const scansOf = (node: PlanNode): PlanNode[] => [
  node,
  ...(node.Plans ?? [])
    .filter((child) => node['Node Type'] !== 'Limit' || child.Plans || child.Filter)
    .flatMap(scansOf),
];

it('no statement of the service reads the whole of a large index', async () => {
  const whole = new Set<string>();
  // Small indexes are not checked. That of open visits, for example, is small for any number of visits.
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
