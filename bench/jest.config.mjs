import tests from '../jest.config.mjs';

/** The configuration of `npm run bench:growth`: one worker, because the measurements compare times within one run. */
export default { ...tests, rootDir: '..', testMatch: ['<rootDir>/bench/*.bench.ts'], maxWorkers: 1 };
