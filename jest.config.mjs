/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/tests/support/strip-types-transform.mjs' },
  globalSetup: '<rootDir>/tests/support/global-setup.ts',
  globalTeardown: '<rootDir>/tests/support/global-teardown.ts',
  // The tests start real services; more at a time than this only makes each of them wait.
  maxWorkers: 2,
  // For a machine on which other programs work; a test by itself takes a second or two.
  testTimeout: 180_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['{server,gateway,subgraphs}/**/*.ts', '!**/*.generated.ts'],
};
