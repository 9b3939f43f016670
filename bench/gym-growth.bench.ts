import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../tests/support/platform.ts';

/** The visits of the large gym; its members and posts follow from it. `GROWTH_VISITS=1000000` are those of several years. */
const VISITS = Number(process.env.GROWTH_VISITS ?? 100_000);
const MEMBERS = VISITS / 10;
const POSTS = VISITS / 5;
const ROUNDS = 25;
/** Below this time the ratio of a request is not checked, because such short times vary too much. */
const NOISE_MILLIS = 5;

const { ironTemple } = DEMO_GYMS;

let small: TestPlatform;
let large: TestPlatform;
beforeAll(async () => {
  const services = ['identity', 'gym', 'content'] as const;
  small = await startPlatform({ services });
  large = await startPlatform({ services });
  await grow(large);
}, 900_000);
afterAll(async () => {
  await small?.stop();
  await large?.stop();
});

/** UUIDs derived from a text, so that two databases have the same ids. */
const SEEDED = `create function seeded(name text) returns uuid language sql immutable as
  $$ select overlay(overlay(md5(name) placing '4' from 13) placing 'a' from 17)::uuid $$`;
/** The id of member `i` of the large gym. */
const MEMBER = `seeded('member ' || i)`;

/** Writes years of a gym's data directly into the databases. */
async function grow(platform: TestPlatform): Promise<void> {
  for (const service of ['identity', 'gym'] as const) await platform.sql(service, SEEDED);
  await platform.sql(
    'identity',
    `insert into user_account (id, email, display_name, role, gym_id, membership_gym_id, membership_status, membership_since, qr_code, locale, timezone, units, created_at, updated_at)
     select ${MEMBER}, 'member-' || i || '@growth.test', 'Member ' || i, 'MEMBER', $1, $1, 'ACTIVE', now(), 'growth-' || i, 'en', 'UTC', 'METRIC', now(), now()
     from generate_series(1, ${MEMBERS}) as i`,
    [ironTemple.id],
  );
  const [{ id: locationId }] = await platform.sql(
    'gym',
    'select id from location where gym_id = $1 order by id limit 1',
    [ironTemple.id],
  );
  const [{ id: challengeId }] = await platform.sql(
    'gym',
    'select id from challenge where gym_id = $1 order by id limit 1',
    [ironTemple.id],
  );
  for (const [statement, values] of [
    [
      `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, checked_in_by)
       select gen_random_uuid(), member, $1, $2, at, at + interval '90 minutes', at + interval '70 minutes', 'MANUAL', 'QR', member
       from (select seeded('member ' || (1 + n % ${MEMBERS})) as member, now() - n * interval '30 seconds' - interval '2 hours' as at from generate_series(1, ${VISITS}) as n) as visits`,
      [ironTemple.id, locationId],
    ],
    [
      `insert into check_in_denial (id, gym_id, location_id, user_id, reason, presented_by, denied_at)
       select gen_random_uuid(), $1, $2, ${MEMBER}, 'WRONG_GYM', ${MEMBER}, now() - i * interval '1 minute' from generate_series(1, ${MEMBERS}) as i`,
      [ironTemple.id, locationId],
    ],
    [
      `insert into post (id, gym_id, author_id, text, like_count, comment_count, created_at)
       select seeded('post ' || n), $1, seeded('member ' || (1 + n % ${MEMBERS})), 'Post ' || n, 1, 1, now() from generate_series(1, ${POSTS}) as n`,
      [ironTemple.id],
    ],
    [
      `insert into post_comment (id, post_id, author_id, text, created_at)
       select gen_random_uuid(), seeded('post ' || n), seeded('member ' || (1 + n % ${MEMBERS})), 'Comment', now() from generate_series(1, ${POSTS}) as n`,
      [],
    ],
    [
      `insert into post_like (post_id, user_id, created_at)
       select seeded('post ' || n), seeded('member ' || (1 + n % ${MEMBERS})), now() from generate_series(1, ${POSTS}) as n`,
      [],
    ],
    [
      `insert into post_report (post_id, reporter_id, gym_id, reason, created_at)
       select seeded('post ' || i), ${MEMBER}, $1, 'Spam', now() from generate_series(1, ${MEMBERS}) as i`,
      [ironTemple.id],
    ],
    [
      `insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at)
       select $1, ${MEMBER}, i % 50, now(), now() from generate_series(1, ${MEMBERS}) as i`,
      [challengeId],
    ],
    ['analyze', []],
  ] as [string, unknown[]][])
    await platform.sql('gym', statement, values);
  await platform.sql('identity', 'analyze');
}

type Call = (platform: TestPlatform, tokens: { member: string; staff: string }) => Promise<RestAnswer>;
const get =
  (at: string, who: 'member' | 'staff' = 'member', service: 'gym' | 'identity' = 'gym'): Call =>
  (platform, tokens) =>
    platform.rest(service, 'GET', at, { token: tokens[who] });
const graph =
  (
    query: string,
    who: 'member' | 'staff',
    service: 'gym' | 'identity' = 'gym',
    variables: object = {},
  ): Call =>
  async (platform, tokens) => {
    const answer = await platform.rest(service, 'POST', '/graphql', {
      token: tokens[who],
      body: { query, variables },
    });
    expect(answer.body.errors).toBeUndefined();
    return answer;
  };

async function medianMillis(work: () => Promise<RestAnswer>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const { status, body } = await work();
    times.push(performance.now() - startedAt);
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
}

async function tokensOf(platform: TestPlatform) {
  return { member: (await platform.register()).token, staff: await platform.demo('admin@iron.test') };
}

test(`no request takes ten times as long with ${VISITS} visits as with the demo data`, async () => {
  const [inSmall, inLarge] = [await tokensOf(small), await tokensOf(large)];
  const locations = (await small.rest('gym', 'GET', '/locations', { token: inSmall.member })).body;
  // `grow` writes the visits for the location with the lowest id.
  const [visited] = (locations as { id: string }[]).map(({ id }) => id).toSorted();
  const monthAgo = new Date(Date.now() - 30 * 24 * 3_600_000).toISOString().slice(0, 10);
  const [{ id: challenge }] = (await small.rest('gym', 'GET', '/challenges', { token: inSmall.member })).body;
  const [{ id: post }] = (await small.rest('gym', 'GET', '/posts?limit=1', { token: inSmall.member })).body;
  const CALLS: Record<string, Call> = {
    'locations with their occupancy': graph('{ locations { name occupancy { people } } }', 'member'),
    'people inside': get(`/locations/${visited}/people`, 'staff'),
    'visits of a location': get(`/locations/${visited}/visits`, 'staff'),
    'visits of a month': get(`/locations/${visited}/visits?from=${monthAgo}`, 'staff'),
    'visits in the graph': graph(
      '{ locations { people { visit { id } } visits(first: 20) { nodes { id } } } }',
      'staff',
    ),
    'audit trail': get('/audit', 'staff'),
    'occupancy history': get(`/locations/${visited}/occupancy/history`),
    'occupancy chart': get(`/locations/${visited}/occupancy/chart.svg`),
    posts: get('/posts'),
    'posts with comments and likes': graph(
      '{ posts(first: 20) { nodes { text comments(first: 3) { nodes { text } } likes(first: 3) { id } } } }',
      'member',
    ),
    'comments of a post': get(`/posts/${post}/comments`),
    challenges: get('/challenges'),
    leaderboard: get(`/challenges/${challenge}/leaderboard`),
    'own rank': graph('{ challenges { title ownRank { rank } } }', 'member'),
    announcements: get('/announcements'),
    'own visits': get('/check-ins'),
    'check-in and check-out': async (platform, tokens) => {
      const { body } = await platform.rest('identity', 'GET', '/users/me', { token: tokens.member });
      await platform.rest('gym', 'POST', '/locations/check-in', {
        token: tokens.member,
        body: { qrCode: body.qrCode, locationId: visited },
      });
      return platform.rest('gym', 'POST', '/locations/check-out', { token: tokens.member, body: {} });
    },
    'a new post': (platform, { member }) =>
      platform.rest('gym', 'POST', '/posts', { token: member, body: { text: `Hello ${randomUUID()}` } }),
    'a like': (platform, { member }) => platform.rest('gym', 'PUT', `/posts/${post}/like`, { token: member }),
    'denials (staff)': get(`/locations/${visited}/denials`, 'staff'),
    'reported posts (staff)': get('/posts/reports', 'staff'),
    'members (staff)': get('/users/all', 'staff', 'identity'),
    home: graph(
      '{ gym(slug: "iron-temple") { name config { theme } locations { name occupancy { people level } } challenges { title joined } announcements { title } posts(first: 5) { nodes { text } } } }',
      'member',
    ),
  };
  const rows: string[] = [];
  const slow: string[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    const [few, many] = [
      await medianMillis(() => call(small, inSmall)),
      await medianMillis(() => call(large, inLarge)),
    ];
    rows.push(`${name}: ${few.toFixed(1)} ms, ${many.toFixed(1)} ms, ${(many / few).toFixed(1)}x`);
    if (many / few > 10 && many > NOISE_MILLIS) slow.push(name);
  }
  if (process.env.SHOW_FIGURES)
    process.stdout.write(`medians with the demo data and with ${VISITS} visits:\n${rows.join('\n')}\n`);
  expect(slow).toEqual([]);
}, 600_000);

test('the account of a member of the large gym is erased in less than 100 ms', async () => {
  const identity = await large.serviceToken('identity');
  const times: number[] = [];
  for (let member = 1; member <= 10; member += 1) {
    const [{ id }] = await large.sql('gym', `select seeded('member ${member}') as id`);
    const startedAt = performance.now();
    expect((await large.rest('gym', 'DELETE', `/accounts/${id}`, { token: identity })).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  if (process.env.SHOW_FIGURES)
    process.stdout.write(
      `erasing an account at the gym service: ${times.map((time) => time.toFixed(0)).join(' ')} ms\n`,
    );
  expect(times.toSorted((one, other) => one - other)[5]).toBeLessThan(100);
}, 60_000);
