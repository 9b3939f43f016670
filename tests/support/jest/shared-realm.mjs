import { ModernFakeTimers } from '@jest/fake-timers';
import { TestEnvironment } from 'jest-environment-node';
import { ModuleMocker } from 'jest-mock';

/**
 * Jest's own environment for Node has built-in objects of its own (`String`, `Error`, ...). The tests of
 * `shared-modules.mjs` run outside of it. Therefore Jest gets the built-in objects of the tests here, because
 * `expect.any(String)` compares by identity; and its mocks and fake timers replace the functions that the tests see.
 */
export default class SharedRealm extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (typeof globalThis[name] === 'function' && /^[A-Z]/.test(name)) this.global[name] = globalThis[name];
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }
}
