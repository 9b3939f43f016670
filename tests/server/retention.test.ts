import { once, EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { connectionTo } from '#server/database/connection.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { uuidv7 } from '#server/ids.ts';
import { auditRetention } from '#server/retention/audit-retention.ts';
import { removeRows, type RetentionRule } from '#server/retention/retention.ts';
import { idempotencyRetention } from '#server/rest/idempotency.database.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { database as gymDatabase } from '../../subgraphs/gym/database.ts';
import { database as identityDatabase } from '../../subgraphs/identity/database.ts';
import { database as nutritionDatabase } from '../../subgraphs/nutrition/database.ts';
import { nutritionRetention } from '../../subgraphs/nutrition/retention.ts';
import { sequentialScans } from '../support/index-use.ts';
import { statementsDuring } from '../support/statements.ts';
import { startPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { retentions } from '../support/retention.ts';

const { opened, started } = retentions();

const addReports = (sql: (text: string, values: unknown[]) => Promise<unknown>, rows: number, days: number) =>
  sql(
    `insert into food_log_import (id, user_id, status, errors, started_at)
     select gen_random_uuid(), gen_random_uuid(), 'DONE', '[]', now() - make_interval(days => ?) from generate_series(1, ?::int)`,
    [days, rows],
  );
const reportsLeft = async (sql: (text: string) => Promise<unknown[]>): Promise<number> =>
  (await sql('select 1 from food_log_import')).length;

describe('retention', () => {
  it('removes old rows in batches, counts them, and keeps the rest', async () => {
    const { orm, sql } = await opened(nutritionDatabase);
    await addReports(sql, 2_500, 91);
    await addReports(sql, 10, 89);
    const { retention, metrics } = started(orm, nutritionRetention);
    await retention.run();
    expect(await reportsLeft(sql)).toBe(10);
    expect((await metrics.text()).body).toContain(
      'retention_removed_total{what="import_reports",service="retention"} 2500',
    );
  });

  it('keeps rows for ever if the setting is 0', async () => {
    const { orm, sql } = await opened(nutritionDatabase);
    await addReports(sql, 3, 10_000);
    await started(orm, nutritionRetention, { RETENTION_IMPORTS_DAYS: '0' }).retention.run();
    expect(await reportsLeft(sql)).toBe(3);
  });

  it('refuses a setting that is not a whole number of days within its bounds', () => {
    for (const [name, value] of [
      ['RETENTION_VISITS_DAYS', '-1'],
      ['RETENTION_VISITS_DAYS', '1.5'],
      ['RETENTION_VISITS_DAYS', 'soon'],
      ['RETENTION_AUDIT_DAYS', '29'],
    ] as const)
      expect(() => readSettings(serverSettings, { [name]: value })).toThrow(name);
  });

  it('skips rows that a request has locked, without waiting', async () => {
    const { orm, sql, clone } = await opened(nutritionDatabase);
    await addReports(sql, 3, 100);
    const holder = new PlatformClient(connectionTo(clone.server, clone.name));
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from food_log_import limit 1 for update');
    await started(orm, nutritionRetention).retention.run();
    expect(await reportsLeft(sql)).toBe(1);
    await holder.query('commit');
    await holder.end();
  });

  it('runs a rule at only one replica at a time', async () => {
    const one = await opened(nutritionDatabase);
    const other = await opened(nutritionDatabase, { ...one.clone, drop: async () => undefined });
    await addReports(one.sql, 5_000, 100);
    let [active, most] = [0, 0];
    const rule: RetentionRule = {
      what: 'watched',
      kept: { millis: 0 },
      async run(unit, before) {
        active += 1;
        most = Math.max(most, active);
        const rows = await removeRows(unit, 'food_log_import', 'started_at < ?', [before]);
        await unit.em.execute('select pg_sleep(0.02)');
        active -= 1;
        return rows;
      },
    };
    const replicas = [started(one.orm, [rule]).retention, started(other.orm, [rule]).retention];
    await Promise.all(replicas.map((replica) => replica.run()));
    for (const replica of replicas) await replica.run();
    expect(most).toBe(1);
    expect(await reportsLeft(one.sql)).toBe(0);
  });

  it('continues with the other rules if one fails, and names it', async () => {
    const { orm, sql } = await opened(nutritionDatabase);
    await addReports(sql, 3, 100);
    const failing: RetentionRule = {
      what: 'failing',
      kept: { millis: 0 },
      run: (unit) => removeRows(unit, 'no_such_table', 'true', []),
    };
    const { retention, metrics } = started(orm, [failing, ...nutritionRetention]);
    await retention.run();
    expect(await reportsLeft(sql)).toBe(0);
    expect((await metrics.text()).body).toContain(
      'retention_failures_total{what="failing",service="retention"} 1',
    );
  });

  it('stops after the current batch', async () => {
    const { orm } = await opened(nutritionDatabase);
    const events = new EventEmitter();
    const batches: string[] = [];
    const endless: RetentionRule = {
      what: 'endless',
      kept: { millis: 0 },
      batchRows: 1,
      async run() {
        batches.push('begun');
        const go = once(events, 'go');
        events.emit('begun');
        await go;
        batches.push('ended');
        return 1;
      },
    };
    const begun = once(events, 'begun');
    const { retention } = started(orm, [endless]);
    await begun;
    const stopped = retention.stop();
    events.emit('go');
    await stopped;
    expect(batches).toEqual(['begun', 'ended']);
  });

  it('finds its rows by indexes', async () => {
    const { orm, sql, clone } = await opened(nutritionDatabase);
    await addReports(sql, 20_000, 1);
    await sql(
      `insert into idempotency_record (caller, key, operation, fingerprint, status, headers, created_at)
       select 'user', n::text, 'POST /log', '', 200, '{}', now() from generate_series(1, 20000) as n`,
    );
    await sql('analyze');
    const statements = await statementsDuring(() =>
      started(orm, [...nutritionRetention, idempotencyRetention]).retention.run(),
    );
    expect(statements.filter(({ text }) => text.startsWith('delete'))).toHaveLength(3);
    const planner = new PlatformClient(connectionTo(clone.server, clone.name));
    await planner.connect();
    const run = async (text: string, values: unknown[] = []) =>
      (await planner.query(text, values)).rows as unknown[];
    expect(await sequentialScans(run, statements)).toEqual([]);
    await planner.end();
  });

  it('begins when the service starts', async () => {
    const platform = await startPlatform({ services: ['nutrition'] });
    try {
      await platform.sql(
        'nutrition',
        `insert into idempotency_record (caller, key, operation, fingerprint, status, headers, created_at)
         values ('user', 'old', 'POST /log', '', 200, '{}', now() - interval '25 hours'), ('user', 'new', 'POST /log', '', 200, '{}', now())`,
      );
      await platform.restart('nutrition');
      const keys = await eventually(async () => {
        const rows = await platform.sql('nutrition', 'select key from idempotency_record order by key');
        return rows.length === 1 && rows;
      });
      expect(keys).toEqual([{ key: 'new' }]);
    } finally {
      await platform.stop();
    }
  });
});

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
      const at = new Date(Date.now() - daysAgo * 24 * 60 * 60 * 1000);
      const hex = at.getTime().toString(16).padStart(12, '0');
      await sql(insert, [`${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`, `${daysAgo} days`, at]);
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
    // A deletion is refused also with the setting that the trigger reads.
    await expect(
      orm.em.fork().transactional(async (em) => {
        await em.execute(`select set_config('platform.audit_removed_before', 'infinity', true)`);
        await em.execute('delete from audit_event');
      }),
    ).rejects.toThrow(/append-only|never changed|at least 30 days/);
    expect(await actions()).toEqual(all);
    await started(orm, [auditRetention], { RETENTION_AUDIT_DAYS: '100' }).retention.run();
    expect(await actions()).toEqual(['99 days', '40 days', '10 days']);
    await expect(sql('delete from audit_event')).rejects.toThrow(
      /append-only|never changed|at least 30 days/,
    );
  });
});
