import tests from '../jest.config.mjs';

/** Ratios measured side by side in one run; `npm run bench:growth`. */
export default { ...tests, rootDir: '..', testMatch: ['<rootDir>/bench/*.bench.ts'], maxWorkers: 1 };
