import { dropTemplates } from './database.ts';
import { testRun } from './test-run.ts';

export default async function globalTeardown(): Promise<void> {
  if (process.env.TEST_DATABASE_URL) await dropTemplates();
  await testRun.end();
}
