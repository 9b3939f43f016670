import { describe, expect, it } from '@jest/globals';
import { DAY_MILLIS } from '#server/durations.ts';
import { auditRetention } from '#server/retention/audit-retention.ts';
import { database as gymDatabase } from '../../subgraphs/gym/database.ts';
import { database as identityDatabase } from '../../subgraphs/identity/database.ts';
import { idAt, retentionDatabases, startedRetention } from '../support/retention.ts';

const opened = retentionDatabases();

describe.each([
  [
    'gym',
    gymDatabase,
    `insert into audit_event (id, gym_id, actor_id, action, details, at) values (?, gen_random_uuid(), 'somebody', ?, '{}', ?)`,
  ],
  [
    'identity',
    identityDatabase,
    `insert into audit_event (id, actor, action, details, request_id, at) values (?, 'somebody', ?, '{}', '', ?)`,
  ],
] as const)('the audit trail of %s', (_service, declaration, insert) => {
  it('loses only rows that are older than the setting, and only by its retention', async () => {
    const { orm, sql } = await opened(declaration);
    for (const daysAgo of [10, 40, 99, 101, 2_000]) {
      const at = new Date(Date.now() - daysAgo * DAY_MILLIS);
      await sql(insert, [idAt(at), `${daysAgo} days`, at]);
    }
    const actions = async () =>
      (await sql<{ action: string }>('select action from audit_event order by at')).map(
        ({ action }) => action,
      );
    const all = ['2000 days', '101 days', '99 days', '40 days', '10 days'];
    expect(await actions()).toEqual(all);
    await expect(sql('delete from audit_event')).rejects.toThrow(
      /append-only|never changed|at least 30 days/,
    );
    await expect(sql(`update audit_event set action = 'other'`)).rejects.toThrow(
      /append-only|never changed|at least 30 days/,
    );
    await expect(sql(`select remove_old_audit_events(now() - interval '29 days', 1000)`)).rejects.toThrow(
      /append-only|never changed|at least 30 days/,
    );
    // A `delete` is refused even if its transaction sets the variable by which the trigger recognises the retention.
    await expect(
      orm.em.fork().transactional(async (em) => {
        await em.execute(`select set_config('platform.audit_removed_before', 'infinity', true)`);
        await em.execute('delete from audit_event');
      }),
    ).rejects.toThrow(/append-only|never changed|at least 30 days/);
    expect(await actions()).toEqual(all);
    await startedRetention(orm, [auditRetention], { RETENTION_AUDIT_DAYS: '100' }).retention.run();
    expect(await actions()).toEqual(['99 days', '40 days', '10 days']);
    await expect(sql('delete from audit_event')).rejects.toThrow(
      /append-only|never changed|at least 30 days/,
    );
  });
});
