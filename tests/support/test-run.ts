import type { DatabaseServer } from '../../server/database/database-server.ts';

export interface TestRun {
  /** Part of the names of the run's databases, so that two runs can share a server. */
  runId: string;
  server: DatabaseServer;
}

/** What one run of Jest's processes share: the environment is all that reaches its workers. */
export const testRun = {
  publish(run: TestRun): void {
    process.env[variable] = JSON.stringify(run);
  },

  current(): TestRun {
    const run = process.env[variable];
    if (!run) throw new Error('No test server: tests run through "npm test", which starts one before them.');
    return JSON.parse(run) as TestRun;
  },

  /** Sets what globalTeardown, which runs in the same process as globalSetup, is to do. */
  atEnd(end: () => Promise<void>): void {
    (globalThis as GlobalWithEnd)[endOfRun] = end;
  },

  async end(): Promise<void> {
    await (globalThis as GlobalWithEnd)[endOfRun]?.();
  },
};

const variable = 'FITNESS_TEST_RUN';

// Jest loads setup and teardown apart from each other, each with its own copy of this module
const endOfRun = Symbol.for('fitness-platform tests: end of run');
type GlobalWithEnd = typeof globalThis & { [endOfRun]?: () => Promise<void> };
