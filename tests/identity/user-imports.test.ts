import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type {
  UserImportShape,
  UserImportWithLinesShape,
} from '../../subgraphs/identity/user-imports/user-imports.shapes.ts';
import type { UserShape } from '../../subgraphs/identity/users/users.shapes.ts';
import { eventually } from '../support/eventually.ts';
import { mailsIn } from '../support/outbox.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

const gymId = DEMO_GYMS.ironTemple.id;
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const newEmail = () => `${randomUUID()}@import.test`;

const send = (body: string | Buffer, type: string, { token = staff, query = '' } = {}) =>
  platform.rest<UserImportShape>('identity', 'POST', `/users/import${query}`, {
    token,
    body,
    headers: { 'content-type': type },
  });

const read = (id: string, query = '', token = staff) =>
  platform.rest<UserImportWithLinesShape>('identity', 'GET', `/users/imports/${id}${query}`, { token });

const finished = (id: string, token = staff) =>
  eventually(async () => {
    const { body } = await read(id, '', token);
    return body.status === 'DONE' && body;
  });

async function imported(
  body: string | Buffer,
  type: string,
  options = {},
): Promise<UserImportWithLinesShape> {
  const answer = await send(body, type, options);
  expect(answer).toMatchObject({ status: 202, body: { gymId, finishedAt: null } });
  expect(answer.headers.get('location')).toBe(`/users/imports/${answer.body.id}`);
  return finished(answer.body.id);
}

const member = async (userId: string | null): Promise<UserShape> =>
  (await platform.rest<UserShape>('identity', 'GET', `/users/${userId}`, { token: staff })).body;

describe('an import', () => {
  it('creates members from JSON lines, and reports the result of every line that is not empty', async () => {
    const [first, second] = [newEmail(), newEmail()];
    const result = await imported(
      [
        JSON.stringify({ email: first, displayName: 'Ada' }),
        '',
        '{"email": "nobody"',
        JSON.stringify({ email: 'nobody', displayName: '' }),
        JSON.stringify({ email: newEmail(), displayName: 'Eve', role: 'SUPER_ADMIN' }),
        JSON.stringify({ email: second, displayName: 'Grace' }),
        '[1]',
        JSON.stringify({ email: first.toUpperCase(), displayName: 'Ada again' }),
      ].join('\n'),
      NDJSON,
    );
    expect(result).toMatchObject({
      status: 'DONE',
      total: 7,
      created: 2,
      existing: 1,
      failed: 4,
      nextAfter: null,
    });
    expect(result.lines.map(({ line, status }) => `${line} ${status}`)).toEqual([
      '1 CREATED',
      '3 FAILED',
      '4 FAILED',
      '5 FAILED',
      '6 CREATED',
      '7 FAILED',
      '8 EXISTING',
    ]);
    expect(result.lines[2]?.errors?.map((error) => error.path)).toEqual(['email', 'displayName']);
    expect(result.lines[6]?.userId).toBe(result.lines[0]?.userId);
    expect(await member(result.lines[4]?.userId ?? null)).toMatchObject({
      email: second,
      displayName: 'Grace',
      role: 'MEMBER',
      gymId,
    });
  });

  it.each([
    ['with commas', (email: string) => `email,displayName\r\n${email},"Ann ""the lift"" Lee"\r\n`],
    [
      'with semicolons and a byte order mark',
      (email: string) => `\uFEFFDisplayName;EMAIL\n"Ann ""the lift"" Lee";${email}`,
    ],
  ])('reads CSV %s', async (_what, file) => {
    const email = newEmail();
    const result = await imported(file(email), `${CSV}; charset=utf-8`);
    expect(result).toMatchObject({ total: 1, created: 1, failed: 0 });
    expect(await member(result.lines[0]?.userId ?? null)).toMatchObject({
      email,
      displayName: 'Ann "the lift" Lee',
    });
  });

  it('changes nothing if the file is sent again', async () => {
    const file = Array.from({ length: 450 }, () =>
      JSON.stringify({ email: newEmail(), displayName: 'Kim' }),
    ).join('\n');
    expect(await imported(file, NDJSON)).toMatchObject({ total: 450, created: 450, existing: 0 });
    expect(await imported(file, NDJSON)).toMatchObject({ total: 450, created: 0, existing: 450 });
  });

  it('neither changes nor names an account of another gym', async () => {
    const zoe = (
      await platform.rest<UserShape>('identity', 'GET', '/users/me', {
        token: await platform.demo('zoe@aqua.test'),
      })
    ).body;
    const { lines } = await imported(JSON.stringify({ email: zoe.email, displayName: 'Stolen' }), NDJSON);
    expect(lines).toEqual([{ line: 1, status: 'EXISTING', userId: null, errors: null }]);
    const after = await platform.rest<UserShape>('identity', 'GET', `/users/${zoe.id}`, {
      token: superAdmin,
    });
    expect(after.body).toMatchObject({ displayName: zoe.displayName, gymId: zoe.gymId });
  });

  it('sends invitations only if it is asked to', async () => {
    const [invited, silent] = [newEmail(), newEmail()];
    await imported(JSON.stringify({ email: silent, displayName: 'Silent' }), NDJSON);
    await imported(JSON.stringify({ email: invited, displayName: 'Invited' }), NDJSON, {
      query: '?invite=true',
    });
    const mails = async (): Promise<string> => (await mailsIn(platform.dataDir)).join();
    await eventually(async () => (await mails()).includes(invited));
    expect(await mails()).not.toContain(silent);
  });

  it('is shown in parts, and by status', async () => {
    const file = [
      'x',
      ...Array.from({ length: 4 }, () => JSON.stringify({ email: newEmail(), displayName: 'Lou' })),
      'y',
    ].join('\n');
    const { id } = await imported(file, NDJSON);
    const linesOf = async (query: string) => {
      const { body } = await read(id, query);
      return [body.lines.map(({ line }) => line), body.nextAfter];
    };
    expect(await linesOf('?limit=2')).toEqual([[1, 2], 2]);
    expect(await linesOf('?limit=2&after=2')).toEqual([[3, 4], 4]);
    expect(await linesOf('?limit=2&after=4')).toEqual([[5, 6], null]);
    expect(await linesOf('?status=FAILED')).toEqual([[1, 6], null]);
  });

  it('is shown in parts, also if more than a million lines of its file are empty', async () => {
    const lines = [0, 1].map(() => JSON.stringify({ email: newEmail(), displayName: 'Lou' }));
    const { id } = await imported(`${'\n'.repeat(1_000_001)}${lines.join('\n')}`, NDJSON);
    const { nextAfter } = (await read(id, '?limit=1')).body;
    expect(nextAfter).toBe(1_000_002);
    expect(await read(id, `?limit=1&after=${nextAfter}`)).toMatchObject({
      status: 200,
      body: { lines: [{ line: 1_000_003 }], nextAfter: null },
    });
    expect((await read(id, '?after=2147483648')).status).toBe(400);
  });

  it('keeps no email once its lines are written', async () => {
    const email = newEmail();
    const { id } = await imported(JSON.stringify({ email, displayName: 'Forgotten' }), NDJSON);
    const rows = await platform.sql('identity', 'select * from user_import_line where import_id = $1', [id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(email);
  });

  it('is audited with its gym and its number of lines', async () => {
    const { id } = await imported(JSON.stringify({ email: newEmail(), displayName: 'Audited' }), NDJSON);
    const { body } = await platform.rest('identity', 'GET', '/audit-events?limit=200', { token: superAdmin });
    expect(body).toContainEqual(
      expect.objectContaining({ action: 'USERS_IMPORTED', details: { importId: id, gymId, lines: '1' } }),
    );
  });

  it('works in the graph', async () => {
    const form = new FormData();
    const query =
      'mutation ($file: Upload!) { importUsers(input: { file: $file }) { id status total failed lines(first: 1) { line } } }';
    form.set('operations', JSON.stringify({ query, variables: { file: null } }));
    form.set('map', JSON.stringify({ 0: ['variables.file'] }));
    form.set(
      '0',
      new Blob([`email,displayName\n${newEmail()},Ina\nnobody,Ina\n`], { type: CSV }),
      'members.csv',
    );
    const { body } = await platform.rest('identity', 'POST', '/graphql', {
      token: staff,
      body: form,
      headers: { 'apollo-require-preflight': 'true' },
    });
    expect(body).toMatchObject({ data: { importUsers: { total: 2, failed: 1, lines: [{ line: 2 }] } } });
    const { id } = (body as { data: { importUsers: { id: string } } }).data.importUsers;
    await finished(id);
    const shown = await platform.graph(
      'identity',
      'query ($id: ID!) { userImport(id: $id) { created lines(status: FAILED) { line userId errors { path message } } } }',
      { id },
      { token: staff },
    );
    expect(shown.data).toEqual({
      userImport: {
        created: 1,
        lines: [{ line: 3, userId: null, errors: [{ path: 'email', message: expect.any(String) }] }],
      },
    });
  });
});

describe('an import is refused', () => {
  it.each([
    ['without the columns', 'mail,name\na@b.test,A', CSV, 400, 'VALIDATION_FAILED'],
    [
      'with a further column',
      'email,displayName,role\na@b.test,A,SUPER_ADMIN',
      CSV,
      400,
      'VALIDATION_FAILED',
    ],
    ['of another type', '{}', 'application/json', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'of more than 16 MiB',
      `email,displayName\n${'x'.repeat(17 * 1024 * 1024)}`,
      CSV,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'of more than 100,000 lines',
      `email,displayName\n${'a\n'.repeat(100_001)}`,
      CSV,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('%s', async (_what, body, type, status, code) => {
    const count = async () => (await platform.sql('identity', 'select count(*) from user_import'))[0];
    const before = await count();
    expect(await send(body, type)).toMatchObject({ status, body: { code } });
    expect(await count()).toEqual(before);
  });

  it('to members, into another gym, without a gym, and without a token', async () => {
    const file = JSON.stringify({ email: newEmail(), displayName: 'No' });
    const maya = await platform.demo('maya@iron.test');
    expect(await send(file, NDJSON, { token: maya })).toMatchObject({ status: 403 });
    expect(await send(file, NDJSON, { query: `?gymId=${DEMO_GYMS.aquaClub.id}` })).toMatchObject({
      status: 403,
    });
    expect(await send(file, NDJSON, { token: superAdmin })).toMatchObject({
      status: 400,
      body: { code: 'GYM_REQUIRED' },
    });
    expect(await send(file, NDJSON, { token: superAdmin, query: `?gymId=${randomUUID()}` })).toMatchObject({
      status: 400,
    });
    expect(await send(file, NDJSON, { token: '' })).toMatchObject({ status: 401 });
  });

  it('to the staff of another gym and to members, as if it did not exist', async () => {
    const { id } = await imported(JSON.stringify({ email: newEmail(), displayName: 'Ours' }), NDJSON);
    expect((await read(id, '', otherStaff)).status).toBe(404);
    expect((await read(id, '', await platform.demo('maya@iron.test'))).status).toBe(404);
    expect((await read(id, '', superAdmin)).status).toBe(200);
  });
});

it('a machine client with the scope imports into its gym, and reads the result', async () => {
  const tokenWith = async (scope: string): Promise<string> => {
    const { body } = await platform.rest('identity', 'POST', '/api-clients', {
      token: staff,
      body: { name: 'CRM', scopes: [scope] },
    });
    const answer = await platform.rest('identity', 'POST', '/auth/token', {
      body: { grant_type: 'client_credentials', client_id: body.id, client_secret: body.secret },
    });
    return answer.body.access_token as string;
  };
  const writer = await tokenWith('members:write');
  const reader = await tokenWith('members:read');
  const file = JSON.stringify({ email: newEmail(), displayName: 'Imported' });
  expect(await send(file, NDJSON, { token: reader })).toMatchObject({ status: 403 });
  const answer = await send(file, NDJSON, { token: writer });
  expect(answer).toMatchObject({ status: 202, body: { gymId } });
  expect(await finished(answer.body.id, writer)).toMatchObject({ created: 1 });
  expect((await read(answer.body.id, '', reader)).status).toBe(404);
});

it('lines that arrived are written even if identity restarts', async () => {
  const lines = Array.from({ length: 2_000 }, () =>
    JSON.stringify({ email: newEmail(), displayName: 'Late' }),
  );
  const { body } = await send(lines.join('\n'), NDJSON);
  await platform.restart('identity');
  expect(await finished(body.id)).toMatchObject({ total: 2_000, created: 2_000, failed: 0 });
});

it('two imports and registrations of the same emails at once create each account once', async () => {
  const emails = Array.from({ length: 300 }, newEmail);
  const file = emails.map((email) => JSON.stringify({ email, displayName: 'Twin' })).join('\n');
  const [one, two, ...registered] = await Promise.all([
    imported(file, NDJSON),
    imported(file, NDJSON),
    ...emails.slice(0, 5).map((email) =>
      platform.rest('identity', 'POST', '/auth/register', {
        body: { email, password: 'a-good-password-9', displayName: 'Self' },
      }),
    ),
  ]);
  const registrations = registered.filter(({ status }) => status === 201).length;
  expect(one.created + two.created + registrations).toBe(300);
  expect(one.created + one.existing).toBe(300);
  expect(two.created + two.existing).toBe(300);
});
