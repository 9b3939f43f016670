import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '#server/embedded-postgres/embedded-postgres.ts';
import { testRun } from '../test-run.ts';

/**
 * One database server for the whole run. It ends with the run even when Jest is killed.
 * With TEST_DATABASE_URL the tests use that server instead, whose user may create databases.
 */
export default async function globalSetup(): Promise<void> {
  const url = process.env.TEST_DATABASE_URL;
  const runId = `t${Date.now().toString(36)}`;
  if (url) {
    testRun.publish({ runId, server: { url } });
    return;
  }
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fitness-tests-'));
  const postgres = await startEmbeddedPostgres({ dataDir: dir, durable: false });
  testRun.publish({ runId, server: postgres.server });
  testRun.atEnd(async () => {
    await postgres.stop();
    fs.rmSync(dir, { recursive: true, force: true });
  });
}
