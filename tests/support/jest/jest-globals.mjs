/**
 * The exports of `@jest/globals` for modules that several test files share. Each function, and each function that is a
 * property of one (`describe.skip`), calls that of the test file that is running, also if a shared module has kept it.
 */
let globalsOfRunningFile;

export function setJestGlobals(globals) {
  globalsOfRunningFile = globals;
}

/** The function `holder()[name]`. */
const delegateTo = (holder, name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, args) => holder()[name](...args),
    get(_target, property) {
      const value = holder()[name][property];
      return typeof value === 'function' ? delegateTo(() => holder()[name], property) : value;
    },
  });

const current = (name) => delegateTo(() => globalsOfRunningFile, name);

export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const describe = current('describe');
export const expect = current('expect');
export const it = current('it');
export const jest = current('jest');
export const test = current('test');
