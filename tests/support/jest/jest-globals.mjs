/** What `@jest/globals` exports, for modules that several test files share: each name is that of the file that runs. */
let ofRunningFile;

export function setJestGlobals(globals) {
  ofRunningFile = globals;
}

const current = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, args) => ofRunningFile[name](...args),
    get: (_target, property) => ofRunningFile[name][property],
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
