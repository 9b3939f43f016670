import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { holdingAccount } from './support.ts';

let platform: TestPlatform;
let superAdmin: string;
let gymService: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
  gymService = await platform.serviceToken('gym');
});
afterAll(() => platform.stop());

const remove = (gymId: string) =>
  platform.rest('identity', 'DELETE', `/references/Gym/${gymId}`, { token: gymService });
const end = (userId: string) =>
  platform.rest('identity', 'PUT', `/users/${userId}/membership`, {
    token: superAdmin,
    body: { status: 'ENDED' },
  });
const isRunning = async (condition: string): Promise<boolean> =>
  (
    await platform.sql(
      'identity',
      `select 1 from pg_stat_activity where datname = current_database() and ${condition}`,
    )
  ).length > 0;
const deadlocks = async (): Promise<number> =>
  Number(
    (
      await platform.sql(
        'identity',
        'select deadlocks from pg_stat_database where datname = current_database()',
      )
    )[0].deadlocks,
  );

async function applicantOf(gymId: string): Promise<string> {
  const id = randomUUID();
  await platform.sql(
    'identity',
    `insert into user_account (id, email, display_name, role, membership_gym_id, membership_status, membership_since, membership_awaits, qr_code, created_at, updated_at)
     values ($1::text::uuid, $1::text || '@example.test', 'Somebody', 'MEMBER', $2, 'PENDING', now(), 'APPROVAL', $1::text, now(), now())`,
    [id, gymId],
  );
  return id;
}

/** The gym of a membership, also of one that has ended. */
const membershipOf = async (userId: string) =>
  (
    await platform.sql('identity', 'select membership_gym_id as "gymId" from user_account where id = $1', [
      userId,
    ])
  )[0];

describe('the removal of a gym', () => {
  it.each(['before', 'after'])(
    'is reported without a deadlock %s the staff end a membership of the gym',
    async (order) => {
      const gymId = randomUUID();
      const userId = await applicantOf(gymId);
      const before = await deadlocks();
      const [ended, removed] = await holdingAccount(platform, userId, async (waiting) => {
        const first = order === 'before' ? remove(gymId) : end(userId);
        await waiting(1);
        const second = order === 'before' ? end(userId) : remove(gymId);
        await waiting(2);
        return order === 'before' ? ([second, first] as const) : ([first, second] as const);
      }).then((answers) => Promise.all(answers));
      expect(removed.status).toBe(204);
      // A gym that was removed first has taken the membership away.
      expect(ended.status).toBe(order === 'before' ? 409 : 200);
      expect(await membershipOf(userId)).toEqual({ gymId: null });
      expect(await deadlocks()).toBe(before);
    },
  );

  it('is reported without a deadlock while an import writes accounts of the gym', async () => {
    const gymId = randomUUID();
    const importId = randomUUID();
    const before = await deadlocks();
    await platform.sql(
      'identity',
      `insert into user_import (id, gym_id, status, invites, total, created, existing, failed, started_at)
       values ($1, $2, 'RUNNING', false, 1, 0, 0, 0, now())`,
      [importId, gymId],
    );
    await platform.sql(
      'identity',
      `insert into user_import_line (import_id, line, status, email, display_name) values ($1::text::uuid, 1, 'PENDING', $1::text || '@example.test', 'Imported')`,
      [importId],
    );
    // Holds the lines, so that the job waits after it has locked the import.
    const held = platform
      .sql(
        'identity',
        `do $$ begin lock table user_import_line in access exclusive mode; perform pg_sleep(60); end $$`,
      )
      .catch(() => undefined); // ends when it is cancelled
    await eventually(() => isRunning(`wait_event = 'PgSleep'`));
    await platform.sql('identity', `select 1 from graphile_worker.add_job('user_import', $1::json)`, [
      JSON.stringify({ importId }),
    ]);
    await eventually(() => isRunning(`wait_event_type = 'Lock' and query like '%user_import_line%'`));
    const removed = remove(gymId);
    await eventually(() => isRunning(`wait_event_type = 'Lock' and query not like '%user_import_line%'`));
    await platform.sql(
      'identity',
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    await held;
    expect((await removed).status).toBe(204);
    expect(await platform.sql('identity', 'select 1 from user_import where id = $1', [importId])).toEqual([]);
    expect(await deadlocks()).toBe(before);
  });
});
