import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import type { UserShape } from '../../subgraphs/identity/users/users.shapes.ts';
import { CALLERS, expectedOf, type Caller, type Expected } from './rights/callers.ts';
import { FIELDS } from './rights/fields.ts';
import { ROUTES } from './rights/routes.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';

const maya = demoPerson('maya@iron.test');
const leo = demoPerson('leo@iron.test');
const zoe = demoPerson('zoe@aqua.test');
const superAdmin = demoPerson('super@demo.test');
const { ironTemple, aquaClub } = DEMO_GYMS;

let platform: TestPlatform;
let withoutGymId: string;
const tokens = {} as Record<Caller, string | undefined>;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  const withoutGym = await platform.register(null);
  withoutGymId = withoutGym.id;
  Object.assign(tokens, {
    member: await platform.demo('maya@iron.test'),
    otherMember: await platform.demo('zoe@aqua.test'),
    withoutGym: withoutGym.token,
    gymAdmin: await platform.demo('admin@iron.test'),
    otherGymAdmin: await platform.demo('admin@aqua.test'),
    superAdmin: await platform.demo('super@demo.test'),
    service: await platform.serviceToken('gym'),
  });
});
afterAll(() => platform.stop());

const as = (caller: Caller) => ({ ...(tokens[caller] && { token: tokens[caller] }) });

describe('the visible fields of a user', () => {
  /** `whole`: with email and QR code; `contact`: with email, without QR code; `public`: with neither; `none`: not found. */
  type Sight = 'whole' | 'contact' | 'public' | 'none' | 'unauthenticated';
  const sights: [string, () => string, Expected<Sight>][] = [
    [
      'maya of Iron Temple',
      () => maya.id,
      {
        nobody: 'unauthenticated',
        member: 'whole',
        gymAdmin: 'whole',
        superAdmin: 'whole',
        service: 'whole',
        others: 'none',
      },
    ],
    [
      'leo of Iron Temple',
      () => leo.id,
      {
        nobody: 'unauthenticated',
        member: 'public',
        gymAdmin: 'whole',
        superAdmin: 'whole',
        service: 'whole',
        others: 'none',
      },
    ],
    [
      'zoe of Aqua Club',
      () => zoe.id,
      {
        nobody: 'unauthenticated',
        otherMember: 'whole',
        otherGymAdmin: 'whole',
        superAdmin: 'whole',
        service: 'whole',
        others: 'none',
      },
    ],
    [
      'somebody without a gym',
      () => withoutGymId,
      {
        nobody: 'unauthenticated',
        withoutGym: 'whole',
        superAdmin: 'whole',
        service: 'whole',
        others: 'none',
      },
    ],
    [
      'a SUPER_ADMIN',
      () => superAdmin.id,
      { nobody: 'unauthenticated', superAdmin: 'whole', service: 'whole', others: 'contact' },
    ],
    [
      'an id that nobody has',
      () => '01900000-0000-7000-8000-00000000ffff',
      { nobody: 'unauthenticated', others: 'none' },
    ],
  ];
  const cases = sights.flatMap(([whom, id, expected]) =>
    CALLERS.map((caller) => [caller, whom, expectedOf(expected, caller), id] as const),
  );

  const sightOf = (user: { email?: string | null; qrCode?: string | null } | null | undefined): Sight =>
    !user ? 'none' : user.qrCode ? 'whole' : user.email ? 'contact' : 'public';

  it.each(cases)('by GET /users/:id as %s, of %s: %s', async (caller, _whom, expected, id) => {
    const { status, body } = await platform.rest('identity', 'GET', `/users/${id()}`, as(caller));
    expect(status).toBe(expected === 'unauthenticated' ? 401 : expected === 'none' ? 404 : 200);
    expect(status === 200 ? sightOf(body) : expected).toBe(expected);
    expect(JSON.stringify(body)).not.toMatch(/password|argon2|hash/i);
  });

  it.each(cases)('by Query.user as %s, of %s: %s', async (caller, _whom, expected, id) => {
    const { data, errors } = await platform.graph(
      'identity',
      'query ($id: ID!) { user(id: $id) { id displayName role email qrCode } }',
      { id: id() },
      as(caller),
    );
    expect(errors?.[0]?.extensions.code).toBe(expected === 'unauthenticated' ? 'UNAUTHENTICATED' : undefined);
    expect(sightOf(data?.user)).toBe(expected === 'unauthenticated' ? 'none' : expected);
  });

  it.each(cases)('by _entities as %s, of %s: %s', async (caller, _whom, expected, id) => {
    const { data, errors } = await platform.graph(
      'identity',
      'query ($ids: [_Any!]!) { found: _entities(representations: $ids) { ... on User { id displayName email qrCode gymId } } }',
      { ids: [{ __typename: 'User', id: id() }] },
      as(caller),
    );
    expect(errors?.[0]?.extensions.code).toBe(expected === 'unauthenticated' ? 'UNAUTHENTICATED' : undefined);
    expect(sightOf(data?.found?.[0])).toBe(expected === 'unauthenticated' ? 'none' : expected);
  });
});

describe('the status of each route for each caller', () => {
  it.each(
    ROUTES.flatMap((row) =>
      CALLERS.map(
        (caller) => [row[0], String(row[2]), row[1], caller, expectedOf(row[3], caller), row[4]] as const,
      ),
    ),
  )('%s %s (%s) answers the caller %s with %s', async (method, path, _what, caller, status, body) => {
    const answer = await platform.rest('identity', method, path, { ...as(caller), ...(body && { body }) });
    expect(answer.status).toBe(status);
    expect(status < 400 || /^[A-Z_]+$/.test(answer.body.code)).toBe(true);
  });

  it('lets a GYM_ADMIN invite members into their gym, and a SUPER_ADMIN and services invite others, too', async () => {
    const invite = async (caller: Caller, body: object) =>
      (
        await platform.rest('identity', 'POST', '/invitations', {
          ...as(caller),
          body: { email: `invited-${crypto.randomUUID()}@x.test`, displayName: 'Invited', ...body },
        })
      ).status;
    expect(await invite('nobody', {})).toBe(401);
    expect(await invite('member', {})).toBe(403);
    expect(await invite('gymAdmin', {})).toBe(201);
    expect(await invite('gymAdmin', { gymId: aquaClub.id })).toBe(403);
    expect(await invite('gymAdmin', { role: 'GYM_ADMIN' })).toBe(403);
    expect(await invite('superAdmin', { role: 'SUPER_ADMIN' })).toBe(201);
    expect(await invite('service', { role: 'GYM_ADMIN', gymId: ironTemple.id })).toBe(201);
    expect(await invite('service', { role: 'SUPER_ADMIN' })).toBe(403);
  });
});

describe('the answer of each field of the graph to each caller', () => {
  it.each(
    FIELDS.flatMap(([operation, expected]) =>
      CALLERS.map((caller) => [operation, caller, expectedOf(expected, caller)] as const),
    ),
  )('%s, for the caller %s: %s', async (operation, caller, code) => {
    const { errors } = await platform.graph('identity', operation, {}, as(caller));
    expect(errors?.[0]?.extensions.code ?? 'ok').toBe(code);
  });
});

describe('a list of users', () => {
  it('shows a GYM_ADMIN their gym and a SUPER_ADMIN the whole platform, with whole profiles', async () => {
    const { body: own } = await platform.rest('identity', 'GET', '/users/all?limit=200', as('gymAdmin'));
    expect(new Set(own.map(({ gymId }: { gymId: string }) => gymId))).toEqual(new Set([ironTemple.id]));
    const { body: all } = await platform.rest('identity', 'GET', '/users/all?limit=200', as('superAdmin'));
    expect(all.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining([maya.id, zoe.id, withoutGymId]),
    );
    expect(all.every(({ email, qrCode }: Record<string, string>) => email && qrCode)).toBe(true);
  });

  it('has the same pages through both doors, and refuses invalid cursors and limits', async () => {
    const ids: string[] = [];
    for (let next: string | undefined = '/users/all?limit=2'; next;) {
      const { body, headers }: RestAnswer<UserShape[]> = await platform.rest(
        'identity',
        'GET',
        next,
        as('superAdmin'),
      );
      ids.push(...body.map(({ id }) => id));
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    const query =
      'query ($after: String) { users(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
    const graphIds: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const { data } = await platform.graph('identity', query, { after }, as('superAdmin'));
      graphIds.push(...data.users.nodes.map(({ id }: { id: string }) => id));
      after = data.users.pageInfo.hasNextPage ? data.users.pageInfo.endCursor : null;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(graphIds).toEqual(ids);
    for (const wrong of ['limit=0', 'limit=-1', 'limit=x', 'cursor=abc', 'gymId=x'])
      expect((await platform.rest('identity', 'GET', `/users/all?${wrong}`, as('superAdmin'))).status).toBe(
        400,
      );
  });

  it('shows SUPER_ADMINs with their email to every user, without their QR code', async () => {
    const { body } = await platform.rest('identity', 'GET', '/users/super-admins', as('member'));
    expect(body.find(({ id }: { id: string }) => id === superAdmin.id)).toMatchObject({
      email: superAdmin.email,
      role: 'SUPER_ADMIN',
    });
    expect(JSON.stringify(body)).not.toContain('FIT-');
  });
});
