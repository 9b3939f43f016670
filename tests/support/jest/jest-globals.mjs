/**
 * The exports of `@jest/globals` for modules that several test files share. Each calls the function of the test file that
 * is running.
 */
let globalsOfRunningFile;

export function setJestGlobals(globals) {
  globalsOfRunningFile = globals;
}

const current = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, args) => globalsOfRunningFile[name](...args),
    get: (_target, property) => globalsOfRunningFile[name][property],
  });

export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const describe = current('describe');
export const expect = current('expect');
export const it = current('it');
export const jest = current('jest');
export const test = current('test');
