import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { gym } from '../../subgraphs/gym/subgraph.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { objectIn } from '../support/stored-objects.ts';

const CALLERS = [
  'nobody',
  'member',
  'member of another gym',
  'admin',
  'admin of another gym',
  'super admin',
] as const;
type Caller = (typeof CALLERS)[number];

let platform: TestPlatform;
const tokens = {} as Record<Caller, string | undefined>;
/** Ids of objects of Iron Temple and a QR code, by their names in the tables below. */
const things: Record<string, string> = {};
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  const [member, stranger, admin, otherAdmin, superAdmin] = await Promise.all(
    (
      ['maya@iron.test', 'zoe@aqua.test', 'admin@iron.test', 'admin@aqua.test', 'super@demo.test'] as const
    ).map((email) => platform.demo(email)),
  );
  Object.assign(tokens, {
    member,
    'member of another gym': stranger,
    admin,
    'admin of another gym': otherAdmin,
    'super admin': superAdmin,
  });
  const make = async (path: string, body: object) =>
    (await platform.rest('gym', 'POST', path, { ...(admin && { token: admin }), body })).body.id as string;
  const running = {
    startsAt: new Date(Date.now() - 1_000).toISOString(),
    endsAt: new Date(Date.now() + 3_600_000).toISOString(),
  };
  things.location = await make('/locations', { name: 'Hall', timezone: 'UTC', capacity: 50 });
  things.challenge = await make('/challenges', { title: 'C', metric: 'CUSTOM', goal: 5, ...running });
  things.post = await make('/posts', { text: 'Hello' });
  things.gym = DEMO_GYMS.ironTemple.id;
  const resident = await platform.register();
  things.resident = resident.id;
  things.qr = (await platform.rest('identity', 'GET', '/users/me', { token: resident.token })).body.qrCode;
  things.visit = await make('/locations/check-in', { qrCode: things.qr, locationId: things.location });
});
afterAll(() => platform.stop());

const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_all, name: string) => things[name] ?? name);

/** Routes with their bodies, and the status of the answer to each caller in the order of CALLERS. */
const ROUTES: [
  method: string,
  path: string,
  body: object | undefined,
  statuses: [number, number, number, number, number, number],
][] = [
  ['GET', '/gyms', undefined, [200, 200, 200, 200, 200, 200]],
  ['GET', '/gyms/{gym}', undefined, [200, 200, 200, 200, 200, 200]],
  ['PUT', '/gyms/{gym}', { joinPolicy: 'OPEN' }, [401, 403, 403, 200, 403, 200]],
  ['GET', '/gym/config/{gym}', undefined, [200, 200, 200, 200, 200, 200]],
  ['GET', '/gym/config/{gym}/tokens', undefined, [200, 200, 200, 200, 200, 200]],
  ['PUT', '/gym/config', { gymId: '{gym}', assets: {} }, [401, 403, 403, 403, 403, 200]],
  ['PUT', '/gym/config/{gym}/draft', { assets: {} }, [401, 403, 403, 403, 403, 200]],
  ['GET', '/gym/config/{gym}/draft', undefined, [401, 403, 403, 403, 403, 200]],
  ['POST', '/gym/config/{gym}/rollback', { version: 1 }, [401, 403, 403, 403, 403, 200]],
  ['GET', '/gym/config/{gym}/history', undefined, [401, 403, 403, 200, 403, 200]],
  ['POST', '/gyms', { name: 'Gym', slug: 'one-more-gym' }, [401, 403, 403, 403, 403, 201]],
  ['DELETE', '/gyms/{gym}', undefined, [401, 403, 403, 403, 403, 403]],
  ['GET', '/locations/{location}', undefined, [401, 200, 404, 200, 404, 200]],
  ['GET', '/locations/', undefined, [401, 200, 200, 200, 200, 400]],
  ['GET', '/locations?gymId={gym}', undefined, [401, 200, 403, 200, 403, 200]],
  [
    'POST',
    '/locations',
    { gymId: '{gym}', name: 'H', timezone: 'UTC', capacity: 1 },
    [401, 403, 403, 201, 403, 201],
  ],
  ['PUT', '/locations/{location}', { capacity: 50 }, [401, 403, 404, 200, 404, 200]],
  ['GET', '/locations/{location}/occupancy', undefined, [401, 200, 404, 200, 404, 200]],
  ['GET', '/locations/{location}/occupancy/history', undefined, [401, 200, 404, 200, 404, 200]],
  ['GET', '/locations/{location}/occupancy/chart.svg', undefined, [401, 200, 404, 200, 404, 200]],
  ['GET', '/locations/{location}/denials', undefined, [401, 403, 404, 200, 404, 200]],
  [
    'POST',
    '/locations/check-in',
    { qrCode: '{qr}', locationId: '{location}' },
    [401, 403, 403, 200, 403, 200],
  ],
  [
    'POST',
    '/locations/check-out',
    { userId: '{resident}', locationId: '{challenge}' },
    [401, 403, 403, 404, 404, 404],
  ],
  ['GET', '/check-ins?userId={resident}', undefined, [401, 404, 404, 200, 200, 200]],
  ['DELETE', '/check-ins/{post}', undefined, [401, 404, 404, 404, 404, 404]],
  ['GET', '/classes', undefined, [401, 200, 200, 200, 200, 400]],
  ['GET', '/class-sessions', undefined, [401, 200, 200, 200, 200, 400]],
  ['GET', '/class-sessions?gymId={gym}', undefined, [401, 200, 403, 200, 403, 200]],
  ['GET', '/class-sessions.ics', undefined, [401, 200, 200, 200, 200, 200]],
  ['GET', '/bookings', undefined, [401, 200, 200, 200, 200, 200]],
  ['GET', '/bookings?userId={resident}', undefined, [401, 404, 404, 200, 200, 200]],
  ['GET', '/challenges', undefined, [401, 200, 200, 200, 200, 400]],
  ['GET', '/challenges?gymId={gym}', undefined, [401, 200, 403, 200, 403, 200]],
  [
    'POST',
    '/challenges',
    {
      gymId: '{gym}',
      title: 'C',
      metric: 'CUSTOM',
      goal: 1,
      startsAt: '2027-01-01T00:00:00Z',
      endsAt: '2027-02-01T00:00:00Z',
    },
    [401, 403, 403, 201, 403, 201],
  ],
  ['GET', '/challenges/{challenge}', undefined, [401, 200, 404, 200, 404, 200]],
  ['POST', '/challenges/{challenge}/join', undefined, [401, 200, 404, 200, 404, 200]],
  ['POST', '/challenges/{challenge}/progress', { amount: 1 }, [401, 200, 404, 200, 404, 200]],
  ['GET', '/challenges/{challenge}/leaderboard', undefined, [401, 200, 404, 200, 404, 200]],
  ['POST', '/challenges/{challenge}/leave', undefined, [401, 200, 404, 200, 404, 200]],
  ['GET', '/announcements?gymId={gym}', undefined, [401, 200, 403, 200, 403, 200]],
  ['POST', '/announcements', { gymId: '{gym}', title: 'N', text: 'x' }, [401, 403, 403, 201, 403, 201]],
  ['GET', '/posts?gymId={gym}', undefined, [401, 200, 403, 200, 403, 200]],
  ['POST', '/posts', { gymId: '{gym}', text: 'x' }, [401, 201, 403, 201, 403, 201]],
  ['GET', '/orders', undefined, [401, 200, 200, 200, 200, 400]],
  ['GET', '/orders?gymId={gym}', undefined, [401, 200, 403, 200, 403, 200]],
  [
    'POST',
    '/orders',
    { gymId: '{gym}', items: [{ productId: '{gym}', quantity: 1 }] },
    [401, 400, 403, 400, 403, 400],
  ],
  ['GET', '/posts/reports?gymId={gym}', undefined, [401, 403, 403, 200, 403, 200]],
  ['GET', '/posts/{post}', undefined, [401, 200, 404, 200, 404, 200]],
  ['PUT', '/posts/{post}/like', undefined, [401, 200, 404, 200, 404, 200]],
  ['DELETE', '/posts/{post}/like', undefined, [401, 200, 404, 200, 404, 200]],
  ['GET', '/posts/{post}/comments', undefined, [401, 200, 404, 200, 404, 200]],
  ['POST', '/posts/{post}/comments', { text: 'x' }, [401, 201, 404, 201, 404, 201]],
  ['POST', '/posts/{post}/report', { reason: 'x' }, [401, 201, 404, 201, 404, 201]],
  ['GET', '/media/unknown.webp', undefined, [404, 404, 404, 404, 404, 404]],
  ['GET', '/gym/{gym}/products', undefined, [200, 200, 200, 200, 200, 200]],
  ['PUT', '/gym/{gym}/products', { products: [] }, [401, 403, 403, 200, 403, 200]],
  ['GET', '/gym/{gym}/programs', undefined, [200, 200, 200, 200, 200, 200]],
  ['PUT', '/gym/{gym}/programs', { programs: [] }, [401, 403, 403, 200, 403, 200]],
];

describe('the callers of every route of the gym service', () => {
  it('are in the table, unless tests/server/rights.test.ts tests them', () => {
    const inTable = ({ method, path }: RestRoute<never>) =>
      ROUTES.some(
        ([listed, url]) =>
          listed === method &&
          new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`).test(url.replace(/\?.*$/, '')),
      );
    const compared = (route: RestRoute<never>) => route.only !== undefined || objectIn(route) !== undefined;
    const missing = gym.rest.filter((route) => !compared(route) && !inTable(route));
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it.each(ROUTES)('get the statuses in the table from %s %s', async (method, path, body, statuses) => {
    const answers: Record<string, number> = {};
    for (const caller of CALLERS) {
      const token = tokens[caller];
      const answer = await platform.rest('gym', method, filled(path), {
        ...(token && { token }),
        ...(body && { body: JSON.parse(filled(JSON.stringify(body))) as object }),
      });
      answers[caller] = answer.status;
    }
    expect(answers).toEqual(Object.fromEntries(CALLERS.map((caller, index) => [caller, statuses[index]])));
  });
});

/** Fields, and whether each caller gets them or an error that refuses them, in the order of CALLERS. */
const FIELDS: [query: string, allowed: [boolean, boolean, boolean, boolean, boolean, boolean]][] = [
  [
    '{ gyms { slug config { theme } products { price } programs { note } } }',
    [true, true, true, true, true, true],
  ],
  ['{ gymConfig(gymId: "{gym}") { features } }', [true, true, true, true, true, true]],
  ['{ gymConfigDraft(gymId: "{gym}") { theme } }', [false, false, false, false, false, true]],
  ['{ gymConfigHistory(gymId: "{gym}") { nodes { version } } }', [false, false, false, true, false, true]],
  ['{ locations(gymId: "{gym}") { name } }', [false, true, false, true, false, true]],
  [
    '{ gym(id: "{gym}") { locations { name occupancy { people } occupancyHistory { peak } } } }',
    [false, true, false, true, false, true],
  ],
  [
    '{ gym(id: "{gym}") { challenges { title } announcements { title } posts { nodes { text } } } }',
    [false, true, false, true, false, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "Location", id: "{location}" }]) { ... on Location { people { visit { id } } visits { nodes { id } } } } }',
    [false, false, false, true, false, true],
  ],
  ['{ gymAudit(gymId: "{gym}") { nodes { action } } }', [false, false, false, true, false, true]],
  [
    '{ checkInDenials(locationId: "{location}") { nodes { reason } } }',
    [false, false, false, true, false, true],
  ],
  ['{ gymClasses(gymId: "{gym}") { nodes { title } } }', [false, true, false, true, false, true]],
  [
    '{ classSessions(gymId: "{gym}") { nodes { id myBooking { id } } } }',
    [false, true, false, true, false, true],
  ],
  ['{ bookings(userId: "{resident}") { nodes { id } } }', [false, false, false, true, true, true]],
  [
    '{ challenges(gymId: "{gym}") { title leaderboard { nodes { rank } } ownRank { rank } } }',
    [false, true, false, true, false, true],
  ],
  ['{ announcements(gymId: "{gym}") { title } }', [false, true, false, true, false, true]],
  ['{ posts(gymId: "{gym}") { nodes { text } } }', [false, true, false, true, false, true]],
  ['{ postReports(gymId: "{gym}") { nodes { reason } } }', [false, false, false, true, false, true]],
  [
    'mutation { createGym(input: { name: "Gym", slug: "{random}" }) { id } }',
    [false, false, false, false, false, true],
  ],
  [
    'mutation { updateGymConfig(input: { gymId: "{gym}", assets: {} }) { version } }',
    [false, false, false, false, false, true],
  ],
  [
    'mutation { saveGymConfigDraft(input: { gymId: "{gym}" }) { basedOnVersion } }',
    [false, false, false, false, false, true],
  ],
  [
    'mutation { rollbackGymConfig(input: { gymId: "{gym}", version: 1 }) { version } }',
    [false, false, false, false, false, true],
  ],
  [
    'mutation { createLocation(input: { gymId: "{gym}", name: "L", timezone: "UTC", capacity: 1 }) { id } }',
    [false, false, false, true, false, true],
  ],
  [
    'mutation { updateLocation(input: { id: "{location}", capacity: 50 }) { id } }',
    [false, false, false, true, false, true],
  ],
  [
    'mutation { checkIn(input: { qrCode: "{qr}", locationId: "{location}" }) { duplicate } }',
    [false, false, false, true, false, true],
  ],
  [
    'mutation { createChallenge(input: { gymId: "{gym}", title: "T", metric: CUSTOM, goal: 1, startsAt: "2027-01-01T00:00:00Z", endsAt: "2027-02-01T00:00:00Z" }) { id } }',
    [false, false, false, true, false, true],
  ],
  [
    'mutation { joinChallenge(id: "{challenge}") { joined } addChallengeProgress(id: "{challenge}", amount: 1) { score } leaveChallenge(id: "{challenge}") { joined } }',
    [false, true, false, true, false, true],
  ],
  [
    'mutation { createAnnouncement(input: { gymId: "{gym}", title: "T", text: "x" }) { id } }',
    [false, false, false, true, false, true],
  ],
  [
    'mutation { createPost(input: { gymId: "{gym}", text: "x" }) { id } }',
    [false, true, false, true, false, true],
  ],
  [
    'mutation { likePost(id: "{post}") { likeCount } unlikePost(id: "{post}") { likeCount } commentPost(input: { postId: "{post}", text: "x" }) { id } reportPost(input: { postId: "{post}", reason: "x" }) { reason } }',
    [false, true, false, true, false, true],
  ],
  [
    'mutation { setGymProducts(input: { gymId: "{gym}", products: [] }) { price } setGymPrograms(input: { gymId: "{gym}", programs: [] }) { note } }',
    [false, false, false, true, false, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "Location", id: "{location}" }]) { ... on Location { name } } }',
    [false, true, false, true, false, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "Challenge", id: "{challenge}" }]) { ... on Challenge { title } } }',
    [false, true, false, true, false, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "Post", id: "{post}" }]) { ... on Post { text } } }',
    [false, true, false, true, false, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "CheckIn", id: "{visit}" }]) { ... on CheckIn { userId } } }',
    [false, false, false, true, false, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "User", id: "{resident}" }]) { ... on User { currentCheckIn { id } } } }',
    [false, false, false, true, true, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "User", id: "{resident}" }]) { ... on User { checkIns { nodes { id } } } } }',
    [false, false, false, true, true, true],
  ],
  [
    '{ _entities(representations: [{ __typename: "Gym", slug: "iron-temple" }]) { ... on Gym { name config { version } } } }',
    [true, true, true, true, true, true],
  ],
];

describe('a field of the gym service', () => {
  it.each(FIELDS)('is answered only to callers who have the right: %s', async (query, allowed) => {
    const answers: Record<string, boolean | string> = {};
    for (const caller of CALLERS) {
      const token = tokens[caller];
      const { errors } = await platform.graph(
        'gym',
        filled(query).replace('"random"', `"gym-${randomUUID().slice(0, 8)}"`),
        {},
        token ? { token } : {},
      );
      const codes = new Set(errors?.map(({ extensions }) => extensions.code));
      answers[caller] =
        codes.size === 0 ||
        ([...codes].every((code) => ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'WRONG_GYM'].includes(code))
          ? false
          : [...codes].join());
      // If an anonymous caller gets an error, it is UNAUTHENTICATED.
      expect(caller !== 'nobody' || codes.size === 0 || codes.has('UNAUTHENTICATED')).toBe(true);
    }
    // For a draft that the caller may not see, the answer is an error, because null would mean that no draft exists.
    expect(answers).toEqual(Object.fromEntries(CALLERS.map((caller, index) => [caller, allowed[index]])));
  });

  it('shows staff of another gym nothing about a member', async () => {
    const query = filled(
      '{ _entities(representations: [{ __typename: "User", id: "{resident}" }]) { ... on User { currentCheckIn { id } checkIns { nodes { id } } } } }',
    );
    const { data } = await platform.graph('gym', query, {}, { token: tokens['admin of another gym'] ?? '' });
    expect(data._entities).toEqual([{ currentCheckIn: null, checkIns: { nodes: [] } }]);
  });
});
