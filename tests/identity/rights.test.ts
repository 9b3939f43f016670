import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import type { UserShape } from '../../subgraphs/identity/users/users.shapes.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';

/** The callers. `other` roles belong to the other gym; `withoutGym` to none. */
type Caller =
  | 'nobody'
  | 'member'
  | 'otherMember'
  | 'withoutGym'
  | 'gymAdmin'
  | 'otherGymAdmin'
  | 'superAdmin'
  | 'service';
const CALLERS = [
  'nobody',
  'member',
  'otherMember',
  'withoutGym',
  'gymAdmin',
  'otherGymAdmin',
  'superAdmin',
  'service',
] as const satisfies Caller[];

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

/** The expected answer for each caller; `others` for callers that are not named. */
type Expected<Outcome> = Partial<Record<Caller, Outcome>> & { others: Outcome };
const expectedOf = <Outcome>(expected: Expected<Outcome>, caller: Caller): Outcome =>
  expected[caller] ?? expected.others;

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

  it.each(cases)(
    'GET /users/:id returns them to the caller %s, of %s: %s',
    async (caller, _whom, expected, id) => {
      const { status, body } = await platform.rest('identity', 'GET', `/users/${id()}`, as(caller));
      expect(status).toBe(expected === 'unauthenticated' ? 401 : expected === 'none' ? 404 : 200);
      expect(status === 200 ? sightOf(body) : expected).toBe(expected);
      expect(JSON.stringify(body)).not.toMatch(/password|argon2|hash/i);
    },
  );

  it.each(cases)(
    'Query.user returns them to the caller %s, of %s: %s',
    async (caller, _whom, expected, id) => {
      const { data, errors } = await platform.graph(
        'identity',
        'query ($id: ID!) { user(id: $id) { id displayName role email qrCode } }',
        { id: id() },
        as(caller),
      );
      expect(errors?.[0]?.extensions.code).toBe(
        expected === 'unauthenticated' ? 'UNAUTHENTICATED' : undefined,
      );
      expect(sightOf(data?.user)).toBe(expected === 'unauthenticated' ? 'none' : expected);
    },
  );

  it.each(cases)(
    '_entities returns them to the caller %s, of %s: %s',
    async (caller, _whom, expected, id) => {
      const { data, errors } = await platform.graph(
        'identity',
        'query ($ids: [_Any!]!) { found: _entities(representations: $ids) { ... on User { id displayName email qrCode gymId } } }',
        { ids: [{ __typename: 'User', id: id() }] },
        as(caller),
      );
      expect(errors?.[0]?.extensions.code).toBe(
        expected === 'unauthenticated' ? 'UNAUTHENTICATED' : undefined,
      );
      expect(sightOf(data?.found?.[0])).toBe(expected === 'unauthenticated' ? 'none' : expected);
    },
  );
});

describe('the status of each route for each caller', () => {
  const unknown = '01900000-0000-7000-8000-00000000ffff';
  const loggedIn: Expected<number> = { nobody: 401, service: 403, others: 200 };
  const superOnly: Expected<number> = { nobody: 401, superAdmin: 200, others: 403 };
  const rows: [string, string, string | (() => string), Expected<number>, object?][] = [
    ['GET', 'the caller', '/auth/me', loggedIn],
    ['GET', 'the caller', '/users/me', loggedIn],
    ['GET', 'their sessions', '/auth/sessions', loggedIn],
    ['GET', 'their exports', '/users/me/exports', loggedIn],
    ['POST', 'a new export', '/users/me/exports', { nobody: 401, service: 403, others: 202 }],
    ['GET', 'an unknown export', `/users/me/exports/${unknown}`, { nobody: 401, service: 403, others: 404 }],
    [
      'GET',
      'the document of an unknown export',
      `/users/me/exports/${unknown}/document`,
      { nobody: 401, service: 403, others: 404 },
    ],
    ['GET', 'their QR code', '/users/me/qr.svg', loggedIn],
    ['GET', 'their QR code', '/users/me/qr.png', loggedIn],
    // a service must name the user
    ['PUT', 'their profile', '/profile', { nobody: 401, service: 400, others: 200 }, { units: 'METRIC' }],
    ['POST', 'a new QR code', '/auth/qr/rotate', loggedIn],
    [
      'GET',
      'the users',
      '/users/all',
      { nobody: 401, gymAdmin: 200, otherGymAdmin: 200, superAdmin: 200, others: 403 },
    ],
    [
      'GET',
      'the users of Iron Temple',
      `/users/all?gymId=${ironTemple.id}`,
      { nobody: 401, gymAdmin: 200, superAdmin: 200, others: 403 },
    ],
    ['GET', 'the SUPER_ADMINs', '/users/super-admins', loggedIn],
    ['GET', 'a name that is no id', '/users/1;drop%20table', { nobody: 401, others: 404 }],
    ['PUT', 'a role', `/users/${leo.id}/role`, superOnly, { role: 'MEMBER' }],
    [
      'PUT',
      'the role of an unknown user',
      `/users/${unknown}/role`,
      { nobody: 401, superAdmin: 404, others: 403 },
      { role: 'MEMBER' },
    ],
    [
      'PUT',
      'a gym',
      `/users/${leo.id}/gym`,
      { nobody: 401, gymAdmin: 200, superAdmin: 200, otherGymAdmin: 404, others: 403 },
      { gymId: ironTemple.id },
    ],
    [
      'PUT',
      'the other gym',
      `/users/${leo.id}/gym`,
      { nobody: 401, gymAdmin: 403, superAdmin: 200, otherGymAdmin: 404, others: 403 },
      { gymId: aquaClub.id },
    ],
    [
      'PUT',
      'the gym again',
      `/users/${leo.id}/gym`,
      { nobody: 401, superAdmin: 200, otherGymAdmin: 403, gymAdmin: 404, others: 403 },
      { gymId: ironTemple.id },
    ],
    ['GET', 'the audit trail', '/audit-events', superOnly],
    ['POST', 'a new key', '/auth/keys/rotate', superOnly],
    ['GET', 'ended sessions', '/auth/ended-sessions', { nobody: 401, service: 200, others: 403 }],
    [
      'GET',
      'a free email',
      '/auth/email-availability?email=nobody@x.test',
      { nobody: 401, service: 200, others: 403 },
    ],
    [
      'GET',
      'an unknown QR code',
      '/users/by-qr-code/FIT-unknown',
      { nobody: 401, gymAdmin: 404, otherGymAdmin: 404, superAdmin: 404, service: 404, others: 403 },
    ],
    [
      'DELETE',
      "another user's session",
      `/auth/sessions/${unknown}`,
      { nobody: 401, service: 403, others: 404 },
    ],
    [
      'DELETE',
      'their account with a wrong password',
      '/users/me',
      { nobody: 401, others: 403 },
      { password: 'wrong' },
    ],
    [
      'DELETE',
      'an invitation',
      `/invitations/${unknown}`,
      { nobody: 401, gymAdmin: 404, otherGymAdmin: 404, superAdmin: 404, service: 404, others: 403 },
    ],
    [
      'DELETE',
      'an accepted invitation',
      `/invitations/${leo.id}`,
      { nobody: 401, gymAdmin: 409, otherGymAdmin: 404, superAdmin: 409, service: 409, others: 403 },
    ],
    [
      'POST',
      'the mail of an accepted invitation',
      `/invitations/${leo.id}/resend`,
      { nobody: 401, gymAdmin: 409, otherGymAdmin: 404, superAdmin: 409, service: 409, others: 403 },
    ],
    [
      'GET',
      'the invitations',
      '/invitations',
      { nobody: 401, gymAdmin: 200, otherGymAdmin: 200, superAdmin: 200, others: 403 },
    ],
    ['GET', 'an unknown picture', '/avatars/none.webp', { others: 404 }],
    ['GET', 'the keys', '/.well-known/jwks.json', { others: 200 }],
  ];

  it.each(
    rows.flatMap((row) =>
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
  type Code = 'ok' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'VALIDATION_FAILED';
  const loggedIn: Expected<Code> = { nobody: 'UNAUTHENTICATED', service: 'FORBIDDEN', others: 'ok' };
  const superOnly: Expected<Code> = { nobody: 'UNAUTHENTICATED', superAdmin: 'ok', others: 'FORBIDDEN' };
  const rows: [string, Expected<Code>][] = [
    ['{ me { id email } }', loggedIn],
    ['{ sessions { id } }', loggedIn],
    ['{ accountExports { id } }', loggedIn],
    ['mutation { requestAccountExport { id parts { service status } } }', loggedIn],
    [
      '{ users { nodes { id email } } }',
      {
        nobody: 'UNAUTHENTICATED',
        gymAdmin: 'ok',
        otherGymAdmin: 'ok',
        superAdmin: 'ok',
        others: 'FORBIDDEN',
      },
    ],
    [
      `{ users(gymId: "${ironTemple.id}") { nodes { id } } }`,
      { nobody: 'UNAUTHENTICATED', gymAdmin: 'ok', superAdmin: 'ok', others: 'FORBIDDEN' },
    ],
    ['{ superAdmins { id email } }', loggedIn],
    [
      '{ userByQrCode(qrCode: "FIT-x") { id } }',
      {
        nobody: 'UNAUTHENTICATED',
        member: 'FORBIDDEN',
        otherMember: 'FORBIDDEN',
        withoutGym: 'FORBIDDEN',
        others: 'ok',
      },
    ],
    ['{ auditEvents { nodes { id } } }', superOnly],
    [
      'mutation { updateProfile(input: { units: METRIC }) { id } }',
      { nobody: 'UNAUTHENTICATED', service: 'VALIDATION_FAILED', others: 'ok' },
    ],
    ['mutation { rotateQrCode { id } }', loggedIn],
    ['mutation { rotateSigningKey { kid } }', superOnly],
    [`mutation { setRole(input: { userId: "${leo.id}", role: MEMBER }) { id } }`, superOnly],
    [
      `mutation { setGym(input: { userId: "${leo.id}", gymId: "${ironTemple.id}" }) { id } }`,
      {
        nobody: 'UNAUTHENTICATED',
        gymAdmin: 'ok',
        superAdmin: 'ok',
        otherGymAdmin: 'NOT_FOUND',
        others: 'FORBIDDEN',
      },
    ],
    [
      `mutation { setGym(input: { userId: "${leo.id}" }) { id } }`,
      {
        nobody: 'UNAUTHENTICATED',
        gymAdmin: 'VALIDATION_FAILED',
        superAdmin: 'VALIDATION_FAILED',
        otherGymAdmin: 'VALIDATION_FAILED',
        others: 'FORBIDDEN',
      },
    ],
    [
      `mutation { endSession(input: { id: "${leo.id}" }) }`,
      { nobody: 'UNAUTHENTICATED', service: 'FORBIDDEN', others: 'NOT_FOUND' },
    ],
    [
      `mutation { withdrawInvitation(input: { userId: "${leo.id}" }) }`,
      {
        nobody: 'UNAUTHENTICATED',
        gymAdmin: 'CONFLICT',
        otherGymAdmin: 'NOT_FOUND',
        superAdmin: 'CONFLICT',
        service: 'CONFLICT',
        others: 'FORBIDDEN',
      },
    ],
    [
      `mutation { resendInvitation(input: { userId: "${leo.id}" }) { id } }`,
      {
        nobody: 'UNAUTHENTICATED',
        gymAdmin: 'CONFLICT',
        otherGymAdmin: 'NOT_FOUND',
        superAdmin: 'CONFLICT',
        service: 'CONFLICT',
        others: 'FORBIDDEN',
      },
    ],
    [
      '{ invitations { nodes { id } } }',
      {
        nobody: 'UNAUTHENTICATED',
        gymAdmin: 'ok',
        otherGymAdmin: 'ok',
        superAdmin: 'ok',
        others: 'FORBIDDEN',
      },
    ],
    [
      'mutation { deleteMyAccount(input: { password: "wrong" }) { id } }',
      { nobody: 'UNAUTHENTICATED', others: 'FORBIDDEN' },
    ],
    [
      'mutation { inviteUser(input: { email: "none", displayName: "x" }) { id } }',
      { others: 'VALIDATION_FAILED' },
    ],
  ];
  it.each(
    rows.flatMap(([operation, expected]) =>
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
