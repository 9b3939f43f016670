import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  // The other services do not run, so no export becomes complete.
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());

const request = (token: string) => platform.rest('identity', 'POST', '/users/me/exports', { token });

describe('the request of an export', () => {
  it('returns the running export, which is kept for the longer of both times', async () => {
    const { token, id } = await platform.register();
    const first = await request(token);
    await platform.sql(
      'identity',
      `update account_export set expires_at = now() + interval '1 minute' where user_id = $1`,
      [id],
    );
    const second = await request(token);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body.id).toBe(first.body.id);
    expect(Date.parse(second.body.expiresAt)).toBeGreaterThanOrEqual(Date.parse(first.body.expiresAt));
    await platform.sql(
      'identity',
      `update account_export set expires_at = now() + interval '30 days' where user_id = $1`,
      [id],
    );
    const third = await request(token);
    expect(Date.parse(third.body.expiresAt)).toBeGreaterThan(Date.parse(second.body.expiresAt));
  });

  it('is not refused if the running export finishes between two statements of the request', async () => {
    const { token, id } = await platform.register();
    const running = await request(token);
    // The trigger runs after the statement that inserts an export, also if this statement has found the running one.
    await platform.sql(
      'identity',
      `create function finish_exports() returns trigger language plpgsql as
       $$ begin update account_export set finished_at = now() where user_id = '${id}'; return null; end $$`,
    );
    await platform.sql(
      'identity',
      `create trigger finish_exports after insert on account_export for each statement execute function finish_exports()`,
    );
    try {
      expect(await request(token)).toMatchObject({ status: 202, body: { id: running.body.id } });
    } finally {
      await platform.sql('identity', 'drop function finish_exports() cascade');
    }
    const next = await request(token);
    expect(next.status).toBe(202);
    expect(next.body.id).not.toBe(running.body.id);
  });
});
