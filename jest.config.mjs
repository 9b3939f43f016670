import os from 'node:os';

// Coverage needs Jest's own module loader, and a watching Jest has to load changed modules again.
const sharesModules = !process.argv.some((argument) => /^--(coverage|collectCoverage|watch)/.test(argument));

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  ...(sharesModules && {
    testEnvironment: '<rootDir>/tests/support/jest/shared-realm.mjs',
    runtime: '<rootDir>/tests/support/jest/shared-modules.mjs',
  }),
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/tests/support/jest/strip-types-transform.mjs' },
  testSequencer: '<rootDir>/tests/support/jest/longest-first.mjs',
  globalSetup: '<rootDir>/tests/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/tests/support/jest/global-teardown.ts',
  // The tests start real services, and a third of their time they wait: 3 workers keep 2 cores busy, and 4 workers 4 cores.
  maxWorkers: os.availableParallelism() < 4 ? 3 : 4,
  // For a slow machine on which other programs work; a test by itself takes a second or two.
  testTimeout: 600_000, // 10 min
  coverageProvider: 'v8',
  collectCoverageFrom: ['{server,gateway,subgraphs}/**/*.ts', '!**/*.generated.ts'],
};
