import { afterAll, afterEach } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { startRetention, type Retention, type RetentionRule } from '#server/retention/retention.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';

const log = createLogger('retention', 'silent');
/** Databases and retentions for the tests of a file; retentions are stopped after each test, databases are closed at the end. */
export function retentions() {
  const running: Retention[] = [];
  const closings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const retention of running.splice(0)) await retention.stop();
  });
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

  function started(orm: MikroORM, rules: readonly RetentionRule[], env: Record<string, string> = {}) {
    const metrics = createMetrics('retention');
    const retention = startRetention({
      rules,
      settings: readSettings(serverSettings, env),
      unitOf: () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN),
      hasDatabase: true,
      metrics,
      log,
      pauseMillis: 1,
    });
    running.push(retention);
    return { retention, metrics };
  }
  return { opened, started };
}
