import { expect, jest, test } from '@jest/globals';

/** A copy, because this file uses the module itself. */
const COPY = '../support/jest/jest-globals.mjs?copy';

interface JestGlobals {
  setJestGlobals(globals: object): void;
  describe: { skip(name: string): void };
}

test('a function that a shared module has kept is that of the test file that is running', async () => {
  const copy = (await import(COPY)) as JestGlobals;
  const [first, second] = [jest.fn(), jest.fn()];
  copy.setJestGlobals({ describe: Object.assign(() => undefined, { skip: first }) });
  const { skip } = copy.describe;
  copy.setJestGlobals({ describe: Object.assign(() => undefined, { skip: second }) });
  skip('a browser');
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledWith('a browser');
});
