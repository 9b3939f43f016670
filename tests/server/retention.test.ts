import { once, EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { connectionTo } from '#server/database/connection.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { removeRows, type RetentionRule } from '#server/retention/retention.ts';
import { idempotencyRetention } from '#server/rest/idempotency.database.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { database as nutritionDatabase } from '../../subgraphs/nutrition/database.ts';
import { nutritionRetention } from '../../subgraphs/nutrition/retention.ts';
import { sequentialScans } from '../support/index-use.ts';
import { addReports, retentionDatabases, startedRetention } from '../support/retention.ts';
import { statementsDuring } from '../support/statements.ts';

const opened = retentionDatabases();

const reportsLeft = async (sql: (text: string) => Promise<unknown[]>): Promise<number> =>
  (await sql('select 1 from food_log_import')).length;

describe('retention', () => {
  it('removes old rows in batches, counts them, and keeps the rest', async () => {
    const { orm, sql } = await opened(nutritionDatabase);
    await addReports(sql, 2_500, 91);
    await addReports(sql, 10, 89);
    const { retention, metrics } = startedRetention(orm, nutritionRetention);
    await retention.run();
    expect(await reportsLeft(sql)).toBe(10);
    expect((await metrics.text()).body).toContain(
      'retention_removed_total{what="import_reports",service="retention"} 2500',
    );
  });

  it('keeps rows for ever if the setting is 0', async () => {
    const { orm, sql } = await opened(nutritionDatabase);
    await addReports(sql, 3, 10_000);
    await startedRetention(orm, nutritionRetention, { RETENTION_IMPORTS_DAYS: '0' }).retention.run();
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
    await startedRetention(orm, nutritionRetention).retention.run();
    expect(await reportsLeft(sql)).toBe(1);
    await holder.query('commit');
    await holder.end();
  });

  it('runs a rule at only one replica at a time', async () => {
    const one = await opened(nutritionDatabase);
    const other = await opened(nutritionDatabase, one.clone);
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
    const replicas = [
      startedRetention(one.orm, [rule]).retention,
      startedRetention(other.orm, [rule]).retention,
    ];
    await Promise.all(replicas.map((replica) => replica.run()));
    for (const replica of replicas) await replica.run();
    expect(most).toBe(1);
    expect(await reportsLeft(one.sql)).toBe(0);
  });

  it('counts a failure by its rule', async () => {
    const { orm } = await opened(nutritionDatabase);
    const failing: RetentionRule = {
      what: 'failing',
      kept: { millis: 0 },
      run: (unit) => removeRows(unit, 'no_such_table', 'true', []),
    };
    const { retention, metrics } = startedRetention(orm, [failing]);
    await expect(retention.run()).rejects.toThrow('no_such_table');
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
    const { retention } = startedRetention(orm, [endless]);
    const run = retention.run();
    await begun;
    retention.stop();
    events.emit('go');
    await run;
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
      startedRetention(orm, [...nutritionRetention, idempotencyRetention]).retention.run(),
    );
    expect(statements.filter(({ text }) => text.startsWith('delete'))).toHaveLength(3);
    const planner = new PlatformClient(connectionTo(clone.server, clone.name));
    await planner.connect();
    const run = async (text: string, values: unknown[] = []) =>
      (await planner.query(text, values)).rows as unknown[];
    expect(await sequentialScans(run, statements)).toEqual([]);
    await planner.end();
  });
});
