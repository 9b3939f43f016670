import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { claimsOf, loggedIn, type Tokens } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());

const me = async (token: string) => (await platform.rest('identity', 'GET', '/auth/me', { token })).status;
const locations = async (token: string) =>
  (await platform.rest('gym', 'GET', '/locations', { token })).status;
const refresh = (refreshToken: string, headers = {}) =>
  platform.rest('identity', 'POST', '/auth/refresh', { body: { refreshToken }, headers });
const session = async (): Promise<Tokens & { email: string; password: string; id: string }> => {
  const user = await platform.register();
  return { ...user, ...(await loggedIn(platform, user)) };
};

describe('a refresh token', () => {
  it('returns the next pair of tokens, also with an invalid access token in the header', async () => {
    const first = await session();
    const { status, body } = await platform.rest('identity', 'POST', '/auth/refresh', {
      token: 'eyJhbGciOiJFUzI1NiJ9.e30.x',
      body: { refreshToken: first.refreshToken },
    });
    expect(status).toBe(200);
    expect(body.refreshToken).not.toBe(first.refreshToken);
    expect(claimsOf(body.token).sid).toBe(claimsOf(first.token).sid);
    expect((await refresh(body.refreshToken)).status).toBe(200);
  });

  it('ends its session when it is used again', async () => {
    const first = await session();
    const { body: second } = await refresh(first.refreshToken);
    expect((await refresh(first.refreshToken)).status).toBe(401);
    expect((await refresh(second.refreshToken)).status).toBe(401);
    expect(await me(second.token)).toBe(401);
    expect(await me(first.token)).toBe(401);
    const audit = await platform.sql(
      'identity',
      "select action from audit_event where subject_id = $1 and action <> 'LOGGED_IN'",
      [first.id],
    );
    expect(audit).toEqual([{ action: 'REFRESH_TOKEN_REUSED' }]);
  });

  it('used twenty times at once, at two replicas, is accepted once, and its session is ended', async () => {
    const { refreshToken, id } = await session();
    const { url } = await platform.replica('identity');
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const response = await fetch(`${index % 2 ? url : platform.url('identity')}/auth/refresh`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ refreshToken }),
        });
        return { status: response.status, body: (await response.json()) as Tokens };
      }),
    );
    const successful = answers.filter(({ status }) => status === 200);
    expect(successful.length).toBe(1);
    expect(answers.filter(({ status }) => status === 401).length).toBe(19);
    // The second use ended the session: none of its tokens is valid any more.
    for (const { body } of successful) {
      expect(await me(body.token)).toBe(401);
      expect((await refresh(body.refreshToken)).status).toBe(401);
    }
    expect(
      await platform.sql(
        'identity',
        'select 1 from login_session where user_id = $1 and id <> (select min(id::text)::uuid from login_session where user_id = $1)',
        [id],
      ),
    ).toEqual([]);
  });

  it('can be sent again with the same Idempotency-Key, by a client that has lost the answer', async () => {
    const { refreshToken } = await session();
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.refreshToken)).size).toBe(1);
    expect((await refresh(answers[0]?.body.refreshToken)).status).toBe(200);
  });

  it('ends its session also if the second use has an Idempotency-Key', async () => {
    const first = await session();
    const { body: second } = await refresh(first.refreshToken);
    expect((await refresh(first.refreshToken, { 'Idempotency-Key': randomUUID() })).status).toBe(401);
    expect((await refresh(second.refreshToken)).status).toBe(401);
  });

  it('is refused once its session has expired, if it is invented, and if it is the stored hash', async () => {
    const { refreshToken, token } = await session();
    await platform.sql(
      'identity',
      `update login_session set expires_at = now() - interval '1 second' where id = $1`,
      [claimsOf(token).sid],
    );
    expect((await refresh(refreshToken)).status).toBe(401);
    const [row] = await platform.sql('identity', 'select hash from refresh_token limit 1');
    expect((await refresh(row.hash)).status).toBe(401);
    for (const wrong of ['', 'x', "' or 1=1 --", refreshToken.slice(1)])
      expect((await refresh(wrong)).status).toBe(401);
    expect((await platform.rest('identity', 'POST', '/auth/refresh', { body: {} })).status).toBe(400);
    expect(
      (await platform.rest('identity', 'POST', '/auth/refresh', { body: { refreshToken: 5 } })).status,
    ).toBe(400);
  });
});

describe('sessions', () => {
  it('are listed with their device, and ended one by one', async () => {
    const user = await platform.register();
    const { body: phone } = await platform.rest('identity', 'POST', '/auth/login', {
      body: user,
      headers: { 'User-Agent': 'Phone/1' },
    });
    const { body: list } = await platform.rest('identity', 'GET', '/auth/sessions', { token: user.token });
    expect(list).toHaveLength(2);
    expect(list[0]).toMatchObject({
      userAgent: 'Phone/1',
      address: expect.stringContaining('127.0.0.1'),
      current: false,
    });
    expect(list[1]).toMatchObject({ current: true });
    const { data } = await platform.graph(
      'identity',
      '{ sessions { id userAgent current } }',
      {},
      { token: user.token },
    );
    expect(data.sessions.map(({ id }: { id: string }) => id)).toEqual(
      list.map(({ id }: { id: string }) => id),
    );

    expect(
      (await platform.rest('identity', 'DELETE', `/auth/sessions/${list[0].id}`, { token: user.token }))
        .status,
    ).toBe(204);
    expect(await me(phone.token)).toBe(401);
    expect(await me(user.token)).toBe(200);
    expect(
      (await platform.rest('identity', 'DELETE', `/auth/sessions/${list[0].id}`, { token: user.token }))
        .status,
    ).toBe(404);
  });

  it('cannot be ended by another user', async () => {
    const [mine, theirs] = [await session(), await session()];
    const path = `/auth/sessions/${String(claimsOf(theirs.token).sid)}`;
    expect((await platform.rest('identity', 'DELETE', path, { token: mine.token })).status).toBe(404);
    expect(await me(theirs.token)).toBe(200);
  });
});

describe('a log-out', () => {
  it.each([
    ['by the refresh token', ({ refreshToken }: Tokens) => ({ body: { refreshToken } })],
    ['by the access token', ({ token }: Tokens) => ({ token })],
    ['by both', ({ token, refreshToken }: Tokens) => ({ token, body: { refreshToken } })],
  ])('%s ends the session at once at identity, and within 5 s at gym', async (_how, request) => {
    const user = await session();
    expect(await locations(user.token)).toBe(200);
    expect((await platform.rest('identity', 'POST', '/auth/logout', request(user))).status).toBe(204);
    expect(await me(user.token)).toBe(401);
    expect((await refresh(user.refreshToken)).status).toBe(401);
    expect((await platform.graph('identity', '{ me { id } }', {}, user)).status).toBe(401);
    await eventually(async () => (await locations(user.token)) === 401, 5_000);
    expect((await platform.graph('gym', '{ locations { id } }', {}, user)).status).toBe(401);
  });

  it('is idempotent, and needs one of the two tokens', async () => {
    const user = await session();
    for (let time = 0; time < 2; time += 1)
      expect(
        (
          await platform.rest('identity', 'POST', '/auth/logout', {
            body: { refreshToken: user.refreshToken },
          })
        ).status,
      ).toBe(204);
    expect((await platform.rest('identity', 'POST', '/auth/logout', { body: {} })).status).toBe(401);
    const other = await session();
    const { data } = await platform.graph(
      'identity',
      'mutation ($input: LogoutInput) { logout(input: $input) }',
      { input: { refreshToken: other.refreshToken } },
    );
    expect(data.logout).toBe(true);
    expect(await me(other.token)).toBe(401);
  });

  it('applies at a service that starts afterwards, also while identity is down', async () => {
    const user = await session();
    await platform.rest('identity', 'POST', '/auth/logout', { body: user });
    await platform.restart('gym');
    await eventually(async () => (await locations(user.token)) === 401, 5_000);
    const staying = await session();
    expect(await locations(staying.token)).toBe(200);
    await platform.running('identity').stop();
    expect(await locations(user.token)).toBe(401);
    expect(await locations(staying.token)).toBe(200);
    await platform.restart('identity');
  });
});

describe('the list of ended sessions', () => {
  const look = async (
    since?: string,
  ): Promise<{ ids: string[]; next: string; more: boolean; entries: Record<string, string> }> => {
    const { body } = await platform.rest(
      'identity',
      'GET',
      `/auth/ended-sessions${since ? `?since=${since}` : ''}`,
      {
        token: await platform.serviceToken('squad'),
      },
    );
    const entries = body.sessions.map(({ id, refusedUntil }: Record<string, string>) => [id, refusedUntil]);
    return {
      ids: entries.map(([id]: string[]) => id),
      next: body.next,
      more: body.more,
      entries: Object.fromEntries(entries),
    };
  };

  /** Resolves when a transaction whose text contains the id has written, and sleeps. */
  const isSleeping = (id: string) =>
    eventually(async () => {
      const sleeping = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and query like '%${id}%'`;
      return (await platform.sql('identity', sleeping)).length > 0;
    });

  it('returns the sessions that ended since the last read, for the lifetime of their tokens', async () => {
    const user = await session();
    const sid = String(claimsOf(user.token).sid);
    const before = await look();
    expect(before.ids).not.toContain(sid);
    await platform.rest('identity', 'POST', '/auth/logout', { body: user });
    const after = await look(before.next);
    expect(Date.parse(after.entries[sid] ?? '')).toBeGreaterThan(Number(claimsOf(user.token).exp) * 1000);
    // If this database has not issued the cursor, for example after a restore, all sessions are sent again.
    expect((await look('999999999999999999')).ids).toContain(sid);
    for (const since of ['x', '1:2', '-1', "1'"]) {
      const path = `/auth/ended-sessions?since=${encodeURIComponent(since)}`;
      const { status } = await platform.rest('identity', 'GET', path, {
        token: await platform.serviceToken('squad'),
      });
      expect(status).toBe(400);
    }
  });

  it('contains the sessions of a transaction that was still running at the last read', async () => {
    const [early, late] = [randomUUID(), String(claimsOf((await session()).token).sid)];
    const slow = platform.sql(
      'identity',
      `insert into ended_session (session_id, refused_until) values ('${early}', now() + interval '5 minutes'); select pg_sleep(0.7)`,
    );
    await isSleeping(early);
    await platform.sql(
      'identity',
      `insert into ended_session (session_id, refused_until) values ('${late}', now() + interval '5 minutes')`,
    );
    const meanwhile = await look();
    expect(meanwhile.ids).toContain(late);
    expect(meanwhile.ids).not.toContain(early);
    await slow;
    expect((await look(meanwhile.next)).ids).toContain(early);
  });

  it('contains the sessions of a transaction that ended between two pages', async () => {
    const [early, mark] = [randomUUID(), randomUUID()];
    const slow = platform.sql(
      'identity',
      `insert into ended_session (session_id, refused_until) values ('${early}', now() + interval '5 minutes');
       do $$ begin while not exists (select 1 from ended_session where session_id = '${mark}') loop perform pg_sleep(0.02); end loop; end $$`,
    );
    await isSleeping(early);
    await platform.sql(
      'identity',
      `insert into ended_session (session_id, refused_until)
       select gen_random_uuid(), now() + interval '5 minutes' from generate_series(1, 6000)`,
    );
    let page = await look();
    expect(page.more).toBe(true);
    await platform.sql(
      'identity',
      `insert into ended_session (session_id, refused_until) values ('${mark}', now())`,
    );
    await slow;
    const ids = [...page.ids];
    while (page.more) {
      page = await look(page.next);
      ids.push(...page.ids);
    }
    expect([...ids, ...(await look(page.next)).ids]).toContain(early);
  });
});

describe('a user', () => {
  it('has at most 200 sessions: a log-in ends the least recently used one beyond them', async () => {
    const first = await session();
    await platform.sql(
      'identity',
      `insert into login_session (id, user_id, user_agent, address, created_at, last_used_at, expires_at)
       select gen_random_uuid(), $1, '', '', now(), now() - interval '1 hour', now() + interval '1 day' from generate_series(1, 300)`,
      [first.id],
    );
    const next = await loggedIn(platform, first);
    const { body } = await platform.rest('identity', 'GET', '/auth/sessions', { token: next.token });
    expect(body).toHaveLength(200);
    expect([await me(first.token), await me(next.token)]).toEqual([200, 200]);
    const [{ sessions }] = await platform.sql(
      'identity',
      'select count(*)::int as sessions from login_session where user_id = $1',
      [first.id],
    );
    expect(sessions).toBe(200);
  });
});

describe('a change of role or gym', () => {
  it('makes older access tokens invalid, and a refresh returns one with the new role or gym', async () => {
    const superAdmin = await platform.demo('super@demo.test');
    const user = await session();
    const put = (what: string, body: object) =>
      platform.rest('identity', 'PUT', `/users/${user.id}/${what}`, { token: superAdmin, body });
    expect((await put('role', { role: 'GYM_ADMIN' })).body.role).toBe('GYM_ADMIN');
    expect(await me(user.token)).toBe(401);
    await eventually(async () => (await locations(user.token)) === 401, 5_000);
    const { body: next } = await refresh(user.refreshToken);
    expect(claimsOf(next.token)).toMatchObject({ role: 'GYM_ADMIN' });
    expect(await me(next.token)).toBe(200);
    // Two changes within a second: each makes the earlier tokens invalid.
    await put('gym', { gymId: DEMO_GYMS.aquaClub.id });
    expect(await me(next.token)).toBe(401);
    const { body: last } = await refresh(next.refreshToken);
    expect(claimsOf(last.token)).toMatchObject({ gymId: DEMO_GYMS.aquaClub.id });
    expect(await me(last.token)).toBe(200);
    await platform.rest('identity', 'POST', '/auth/logout', { body: last });
    expect(await me(last.token)).toBe(401);
  });
});
