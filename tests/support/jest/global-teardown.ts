import { dropTemplates } from '../database.ts';
import { testRun } from '../test-run.ts';

/** Long enough for a database server that stops on a busy machine. */
const MAX_MILLIS_TO_END = 60_000;

export default async function globalTeardown(): Promise<void> {
  endInBoundedTime();
  if (process.env.TEST_DATABASE_URL) await dropTemplates();
  await testRun.end();
}

/** Makes the run fail if something that a test left open keeps the process alive, instead of letting it hang. */
function endInBoundedTime(): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `The tests have ended, but their process has not within ${MAX_MILLIS_TO_END / 1_000} s. Still open: ${open}.\n`,
    );
    process.exit(1);
  }, MAX_MILLIS_TO_END).unref();
}
