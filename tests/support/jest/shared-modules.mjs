import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';
import { setJestGlobals } from './jest-globals.mjs';

const JEST_GLOBALS = new URL('./jest-globals.mjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals'
      ? { url: JEST_GLOBALS, shortCircuit: true }
      : nextResolve(specifier, context),
});

/**
 * Imports test files as Node does. Jest's own runtime loads and compiles every module again for each file; here the files
 * of a worker share the modules of the product and of its packages. That saves 29 % of the CPU time (six files of
 * tests/content: 38 s, now 27 s) and half of the memory of a run. The price is that a test must undo what it changes in
 * a module, and that modules cannot be mocked. Everything else is Jest's: hooks, time limits, mocks of functions, fake
 * timers, reports.
 */
export default class SharedModules extends JestRuntime {
  async unstable_importModule(file) {
    setJestGlobals(this.requireModuleOrMock(file, '@jest/globals'));
    return import(pathToFileURL(file).href);
  }
}
