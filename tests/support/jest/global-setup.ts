import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseServer } from '#server/database/database-server.ts';
import { startEmbeddedPostgres } from '#server/embedded-postgres/embedded-postgres.ts';
import { startPgBouncer } from '../pooler.ts';
import { measuredSlowness } from '../slow-machine.ts';
import { testRun } from '../test-run.ts';
import { useFolderInMemory } from './memory-folder.ts';

/**
 * Starts one database server for the whole run. It ends with the run even if Jest is killed.
 * With TEST_DATABASE_URL the tests use that server instead; its user must have the right to create databases.
 * With TEST_DATABASE_POOLER=pgbouncer, the tests and the services that they start use it through PgBouncer.
 */
export default async function globalSetup(): Promise<void> {
  process.env.TEST_SLOWNESS ??= String(measuredSlowness()); // the workers inherit it
  const runId = `t${Date.now().toString(36)}`;
  const compileCache = path.join(os.tmpdir(), `platform-tests-compiled-${process.getuid?.() ?? 'user'}`);
  const removeFolder = useFolderInMemory();
  const opened = await openServer();
  const { server } = opened;
  const stop = async () => {
    await opened.stop();
    removeFolder();
  };
  const wanted = process.env.TEST_DATABASE_POOLER;
  if (!wanted) {
    testRun.publish({ runId, server, compileCache });
    return testRun.atEnd(stop);
  }
  if (wanted !== 'pgbouncer') throw new Error(`TEST_DATABASE_POOLER: expected pgbouncer, got "${wanted}"`);
  const pooler = await startPgBouncer(server);
  testRun.publish({ runId, server: pooler.server, compileCache });
  testRun.atEnd(async () => {
    await pooler.stop();
    await stop();
  });
}

async function openServer(): Promise<{ server: DatabaseServer; stop(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { server: { url }, stop: async () => undefined };
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fitness-tests-'));
  const postgres = await startEmbeddedPostgres({ dataDir: dir, durable: false });
  return {
    server: postgres.server,
    async stop() {
      await postgres.stop();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}
