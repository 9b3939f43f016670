import { afterAll } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { uuidv7 } from '#server/ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { Retention, type RetentionRule } from '#server/retention/retention.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { cloneDatabase, type ClonedDatabase } from './database.ts';

const log = createLogger('retention', 'silent');

/**
 * Returns a function that opens a service's database, or a second replica's connections to it. All connections are closed
 * after the tests of the file.
 */
export function retentionDatabases() {
  const closings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closings) await close();
  });
  return async (declaration: DatabaseDeclaration, clone?: Pick<ClonedDatabase, 'server' | 'name'>) => {
    const { server, name } = clone ?? (await cloneDatabase(declaration));
    const orm = await openDatabase(declaration, { server, name, migrate: false });
    closings.push(() => orm.close(true));
    const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
      orm.em.fork().execute<Row[]>(text, values);
    return { orm, sql, clone: { server, name } };
  };
}

/** The retention of a service with these rules. `run` runs all of them, one after the other, as their jobs do. */
export function startedRetention(
  orm: MikroORM,
  rules: readonly RetentionRule[],
  env: Record<string, string> = {},
) {
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

/** A new UUID of version 7 with this time, because some rules decide by the time of an id. */
export function idAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
}

/** Adds reports of finished imports, which began `days` days ago, to the database of nutrition. */
export const addReports = (
  sql: (text: string, values: unknown[]) => Promise<unknown>,
  rows: number,
  days: number,
) =>
  sql(
    `insert into food_log_import (id, user_id, status, errors, started_at)
     select gen_random_uuid(), gen_random_uuid(), 'DONE', '[]', now() - make_interval(days => ?) from generate_series(1, ?::int)`,
    [days, rows],
  );
