import { randomUUID } from 'node:crypto';
import { once, EventEmitter } from 'node:events';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { connectionTo } from '#server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { uuidv7 } from '#server/ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { auditRetention } from '#server/retention/audit-retention.ts';
import { removeRows, Retention, type RetentionRule } from '#server/retention/retention.ts';
import { idempotencyRetention } from '#server/rest/idempotency.database.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { database as gymDatabase } from '../../subgraphs/gym/database.ts';
import { gymRetention } from '../../subgraphs/gym/retention.ts';
import { database as identityDatabase } from '../../subgraphs/identity/database.ts';
import { database as nutritionDatabase } from '../../subgraphs/nutrition/database.ts';
import { nutrition } from '../../subgraphs/nutrition/subgraph.ts';
import { nutritionRetention } from '../../subgraphs/nutrition/retention.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { sequentialScans } from '../support/index-use.ts';
import { statementsDuring } from '../support/statements.ts';
import { startPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';

const log = createLogger('retention', 'silent');
const closings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closings) await close();
});

async function opened(declaration: DatabaseDeclaration, clone?: ClonedDatabase) {
  const { server, name } = clone ?? (await cloneDatabase(declaration));
  const orm = await openDatabase(declaration, { server, name, migrate: false });
  closings.push(() => orm.close(true));
  const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    orm.em.fork().execute<Row[]>(text, values);
  return { orm, sql, clone: { server, name } };
}

/** `run` runs all rules, one after the other, as their jobs do. */
function started(orm: MikroORM, rules: readonly RetentionRule[], env: Record<string, string> = {}) {
  const metrics = createMetrics('retention');
  const retention = new Retention({
    settings: readSettings(serverSettings, env),
    hasDatabase: true,
    metrics,
    log,
    pauseMillis: 1,
  });
  const stopping = new AbortController();
  const run = async () => {
    for (const rule of rules)
      await retention.run(rule, {
        unitOf: () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN),
        signal: stopping.signal,
      });
  };
  return { retention: { run, stop: () => stopping.abort() }, metrics };
}

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

  it('refuses settings that make no sense', () => {
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

  it('counts a failure by its rule', async () => {
    const { orm } = await opened(nutritionDatabase);
    const failing: RetentionRule = {
      what: 'failing',
      kept: { millis: 0 },
      run: (unit) => removeRows(unit, 'no_such_table', 'true', []),
    };
    const { retention, metrics } = started(orm, [failing]);
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
    const { retention } = started(orm, [endless]);
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

  it('continues with the other rules if one fails, and shows it to operators', async () => {
    const failing: RetentionRule = {
      what: 'failing',
      kept: { millis: 0 },
      run: (unit) => removeRows(unit, 'no_such_table', 'true', []),
    };
    const platform = await startPlatform({ services: ['identity', 'nutrition'] });
    try {
      await addReports(
        (text, values) => platform.sql('nutrition', text.replace('?', '$1').replace('?', '$2'), values),
        3,
        100,
      );
      // Otherwise it could run the job, without the rule that fails.
      await platform.running('nutrition').stop();
      const { url } = await platform.replica('nutrition', {
        ...nutrition,
        retention: () => [failing, ...nutritionRetention],
      });
      await eventually(
        async () => (await platform.sql('nutrition', 'select 1 from food_log_import')).length === 0,
      );
      const token = await platform.demo('super@demo.test');
      const [job] = await eventually(async () => {
        const answer = await fetch(`${url}/jobs?name=remove_old_rows`, {
          headers: { Authorization: `Bearer ${token}` },
        });
        const jobs = (await answer.json()) as { error: string | null }[];
        return jobs[0]?.error ? jobs : undefined;
      });
      expect(job).toMatchObject({ name: 'remove_old_rows', maxAttempts: 3, payload: {} });
      expect(job?.error).toMatch(/^failing: .*no_such_table/);
    } finally {
      await platform.stop();
    }
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

describe('the retention of a gym', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const idAt = (time: Date): string => {
    const hex = time.getTime().toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
  };

  it('removes visits that have ended, unless a challenge within the retention time counts them', async () => {
    const { orm, sql } = await opened(gymDatabase);
    const [gymId, otherGymId] = [uuidv7(), uuidv7()];
    const halls: Record<string, string> = { [gymId]: uuidv7(), [otherGymId]: uuidv7() };
    for (const [id, locationId] of Object.entries(halls)) {
      await sql(
        `insert into gym (id, slug, name, theme, assets, features, created_at, updated_at) values (?, ?, 'Gym', '{}', '{}', '{}', now(), now())`,
        [id, `gym-${id}`],
      );
      await sql(
        `insert into location (id, gym_id, name, timezone, capacity, created_at, updated_at) values (?, ?, 'Hall', 'UTC', 10, now(), now())`,
        [locationId, id],
      );
    }
    const daysBefore = (days: number) => new Date(Date.now() - days * DAY);
    const visit = async (name: string, daysAgo: number, ofGym = gymId, isOpen = false) => {
      const at = daysBefore(daysAgo);
      await sql(
        `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, method, source, checked_in_by)
         values (?, ?, ?, ?, ?, ?, ?, 'QR', ?, null)`,
        [idAt(at), randomUUID(), ofGym, halls[ofGym], at, at, isOpen ? null : at, name],
      );
    };
    const challenge = (ofGym: string, metric: string, fromDaysAgo: number, toDaysAgo: number) =>
      sql(
        `insert into challenge (id, gym_id, title, metric, goal, starts_at, ends_at, created_at) values (?, ?, 'Visits', ?, 10, ?, ?, now())`,
        [uuidv7(), ofGym, metric, daysBefore(fromDaysAgo), daysBefore(toDaysAgo)],
      );
    await challenge(otherGymId, 'CHECK_INS', 202, -10); // still running
    await challenge(gymId, 'CHECK_INS', 302, 50); // ended within the retention time
    await challenge(gymId, 'CHECK_INS', 501, 499); // ended long ago
    await challenge(gymId, 'WORKOUTS', 1_000, -10); // counts no visits
    await visit('99: young', 99);
    await visit('201: counted now', 201, otherGymId);
    await visit('203: before it', 203, otherGymId);
    await visit('301: counted lately', 301);
    await visit('320: old', 320);
    await visit('330: open', 330, gymId, true);
    await visit('500: counted long ago', 500);
    await started(orm, gymRetention, { RETENTION_VISITS_DAYS: '100' }).retention.run();
    const rows = await sql<{ source: string }>('select source from check_in order by source');
    expect(rows.map(({ source }) => source)).toEqual([
      '201: counted now',
      '301: counted lately',
      '330: open',
      '99: young',
    ]);
  });

  it('removes denials', async () => {
    const { orm, sql } = await opened(gymDatabase);
    const [gymId, locationId] = [uuidv7(), uuidv7()];
    await sql(
      `insert into gym (id, slug, name, theme, assets, features, created_at, updated_at) values (?, 'one', 'Gym', '{}', '{}', '{}', now(), now())`,
      [gymId],
    );
    await sql(
      `insert into location (id, gym_id, name, timezone, capacity, created_at, updated_at) values (?, ?, 'Hall', 'UTC', 10, now(), now())`,
      [locationId, gymId],
    );
    for (const daysAgo of [89, 91]) {
      const at = new Date(Date.now() - daysAgo * DAY);
      await sql(
        `insert into check_in_denial (id, location_id, gym_id, reason, denied_at) values (?, ?, ?, ?, ?)`,
        [idAt(at), locationId, gymId, `${daysAgo} days`, at],
      );
    }
    await started(orm, gymRetention).retention.run();
    expect(await sql('select reason from check_in_denial')).toEqual([{ reason: '89 days' }]);
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
