import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Passwords } from '../../subgraphs/identity/users/passwords.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'] });
});
afterAll(() => platform.stop());

type Person = Awaited<ReturnType<TestPlatform['register']>>;
const NEW = 'a-brand-new-password';

const login = async (email: string, password: string) =>
  (await platform.rest('identity', 'POST', '/auth/login', { body: { email, password } })).status;
const change = (person: Person, body: object, headers = {}) =>
  platform.rest('identity', 'POST', '/auth/password', { token: person.token, body, headers });
const me = async (token: string) => (await platform.rest('identity', 'GET', '/auth/me', { token })).status;
const audit = async (person: Person) =>
  (
    await platform.rest('identity', 'GET', `/audit-events?userId=${person.id}`, {
      token: await platform.demo('super@demo.test'),
    })
  ).body.map((event: { action: string }) => event.action);

describe('a password', () => {
  it.each(['password', '12345678', 'PASSWORD1', 'iloveyou', 'qwertyui'])(
    'as common as %s is refused at registration and at a change',
    async (password) => {
      const problem = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path: 'password' }] } };
      expect(
        await platform.rest('identity', 'POST', '/auth/register', {
          body: { email: `${crypto.randomUUID()}@x.test`, displayName: 'Ana', password },
        }),
      ).toMatchObject(problem);
      const ana = await platform.register();
      expect(await change(ana, { current: ana.password, password })).toMatchObject(problem);
    },
  );

  it("is changed with the current one; the user's other sessions end, this one continues", async () => {
    const ana = await platform.register();
    const elsewhere = await platform.login(ana.email, ana.password);
    expect(await change(ana, { current: ana.password, password: NEW })).toMatchObject({ status: 204 });
    expect([await me(ana.token), await me(elsewhere)]).toEqual([200, 401]);
    expect([await login(ana.email, ana.password), await login(ana.email, NEW)]).toEqual([401, 200]);
    expect(await audit(ana)).toContain('PASSWORD_CHANGED');

    const { data } = await platform.graph(
      'identity',
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
      { input: { current: NEW, password: ana.password } },
      { token: ana.token },
    );
    expect(data).toEqual({ changePassword: true });
    expect(await login(ana.email, ana.password)).toBe(200);
  });

  it('is changed by only one of several simultaneous changes', async () => {
    const ana = await platform.register();
    const statuses = await Promise.all(
      ['one', 'two', 'three'].map(
        async (word) => (await change(ana, { current: ana.password, password: `${NEW}-${word}` })).status,
      ),
    );
    expect(statuses.toSorted((one, other) => one - other)).toEqual([204, 403, 403]);
  });

  it.each([
    ['a change of the password', (ana: Person, current: string) => change(ana, { current, password: NEW })],
    [
      'the deletion of the account',
      (ana: Person, password: string) =>
        platform.rest('identity', 'DELETE', '/users/me', { token: ana.token, body: { password } }),
    ],
  ])('cannot be guessed by %s: ten wrong ones lock the account, and are audited', async (_by, attempt) => {
    const ana = await platform.register();
    for (let count = 0; count < 12; count += 1)
      expect(await attempt(ana, `wrong-${count}`)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      });
    expect((await attempt(ana, ana.password)).status).toBe(403);
    expect(await login(ana.email, ana.password)).toBe(401);
    const events = await audit(ana);
    expect(events.filter((action: string) => action === 'LOGIN_FAILED')).toHaveLength(10);
    expect(events.filter((action: string) => action === 'LOGIN_LOCKED')).toHaveLength(1);
  });

  it('is audited as a log-in if it is right, and as a failure if it is wrong', async () => {
    const ana = await platform.register();
    await login(ana.email, 'not-the-password');
    await login(ana.email, ana.password);
    expect((await audit(ana)).slice(0, 2)).toEqual(['LOGGED_IN', 'LOGIN_FAILED']);
  });
});

describe('if too many passwords wait for their check', () => {
  it('a log-in is refused with 503 and Retry-After, and is accepted again when fewer wait', async () => {
    const { email, password } = await platform.register();
    const logIn = () => platform.rest('identity', 'POST', '/auth/login', { body: { email, password } });
    // The passwords of all instances in the process wait in one queue, which the test keeps full.
    const passwords = new Passwords();
    let isFilling = true;
    const filling = Array.from({ length: 260 }, async () => {
      while (isFilling) await passwords.hash('any').catch(() => setImmediate());
    });
    const answers = await Promise.all(Array.from({ length: 20 }, logIn));
    isFilling = false;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).toEqual([503, 'SERVER_BUSY']);
      expect(headers.get('retry-after')).toBe('2');
    }
    await Promise.all(filling);
    expect((await logIn()).status).toBe(200);
  });

  it('all of many simultaneous log-ins are answered, with 200 or 503', async () => {
    const { email, password } = await platform.register();
    const statuses = await Promise.all(Array.from({ length: 260 }, () => login(email, password)));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(101); // one is hashed and 100 wait, if there is only one thread
    expect([...new Set(statuses)].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});
