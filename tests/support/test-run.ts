import type { DatabaseServer } from '../../server/database/database-server.ts';

export interface TestRun {
  /** Part of the names of the run's databases, so that two runs can share a server. */
  runId: string;
  server: DatabaseServer;
  /**
   * The folder of Node's compile cache for the programs that the tests start: half of the time of a start is compilation.
   * It is not removed after the run.
   */
  compileCache: string;
}

/**
 * The values that the processes of one Jest run share. They are passed in the environment, because nothing else reaches the
 * workers.
 */
export const testRun = {
  publish(run: TestRun): void {
    process.env[variable] = JSON.stringify(run);
  },

  current(): TestRun {
    const run = process.env[variable];
    if (!run) throw new Error('No test server: tests run through "npm test", which starts one before them.');
    return JSON.parse(run) as TestRun;
  },

  /** Sets the work of globalTeardown, which runs in the same process as globalSetup. */
  atEnd(end: () => Promise<void>): void {
    (globalThis as GlobalWithEnd)[endOfRun] = end;
  },

  async end(): Promise<void> {
    await (globalThis as GlobalWithEnd)[endOfRun]?.();
  },
};

const variable = 'FITNESS_TEST_RUN';

// Jest loads setup and teardown separately, each with its own copy of this module, so they share only a global object.
const endOfRun = Symbol.for('fitness-platform tests: end of run');
type GlobalWithEnd = typeof globalThis & { [endOfRun]?: () => Promise<void> };
