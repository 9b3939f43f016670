import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { database } from '../../subgraphs/identity/database.ts';
import { removePasswordResets } from '../../subgraphs/identity/password-resets/retention.ts';
import {
  removeEndedSessions,
  removeExpiredSessions,
  removeLoginFailures,
  removeUsedTokens,
} from '../../subgraphs/identity/sessions/retention.ts';
import { cloneDatabase } from '../support/database.ts';

let orm: MikroORM;
beforeAll(async () => {
  const { server, name } = await cloneDatabase(database);
  orm = await openDatabase(database, { server, name, migrate: false });
});
afterAll(() => orm.close(true));

const unitOf = () => new UnitOfWork(orm, ANONYMOUS, createLogger('identity', 'silent'), NO_ORIGIN);
const execute = (statement: string, values: unknown[] = []): Promise<{ count: number }[]> =>
  orm.em.fork().execute(statement, values);
const countOf = async (table: string) =>
  Number((await execute(`select count(*)::int as count from ${table}`))[0]?.count);

it('expired rows are removed in batches of 1,000, and no younger ones', async () => {
  const userId = randomUUID();
  await execute(
    `insert into user_account (id, email, display_name, role, qr_code, created_at, updated_at) values (?, 'a@x.test', 'A', 'MEMBER', 'FIT-a', now(), now())`,
    [userId],
  );
  const ages = `select n, case when n <= 1200 then interval '40 days' else interval '1 day' end as age from generate_series(1, 1203) as n`;
  await execute(
    `insert into login_session (id, user_id, user_agent, address, created_at, last_used_at, expires_at)
     select gen_random_uuid(), ?, '', '', now() - age, now() - age, now() - age from (${ages}) as each`,
    [userId],
  );
  const live = randomUUID();
  await execute(
    `insert into login_session (id, user_id, user_agent, address, created_at, last_used_at, expires_at) values (?, ?, '', '', now(), now(), now() + interval '30 days')`,
    [live, userId],
  );
  await execute(
    `insert into refresh_token (hash, session_id, created_at, used_at)
     select n::text, ?, now() - age, case when n % 2 = 0 then now() - age end from (${ages}) as each`,
    [live],
  );
  await execute(
    `insert into ended_session (session_id, refused_until) select gen_random_uuid(), now() - age from (${ages}) as each`,
  );
  await execute(
    `insert into login_failures (key, failed_at, updated_at) select n::text, '{}', now() - age from (${ages}) as each`,
  );
  await execute(
    `insert into password_reset (id, purpose, email, requested_at)
     select gen_random_uuid(), 'RESET', 'a@x.test', now() - age from (${ages}) as each`,
  );
  const monthAgo = new Date(Date.now() - 30 * 24 * 60 * 60 * 1000);
  for (const [remove, removed, remaining, table] of [
    [removeUsedTokens, [600, 0], 603, 'refresh_token'],
    [removeExpiredSessions, [1_000, 200, 0], 4, 'login_session'],
    [removeEndedSessions, [1_000, 200, 0], 3, 'ended_session'],
    [removeLoginFailures, [1_000, 200, 0], 3, 'login_failures'],
    [removePasswordResets, [1_000, 200, 0], 3, 'password_reset'],
  ] as const) {
    for (const count of removed) expect([table, await remove(unitOf(), monthAgo)]).toEqual([table, count]);
    expect([table, await countOf(table)]).toEqual([table, remaining]);
  }
});
