import { ModernFakeTimers } from '@jest/fake-timers';
import { TestEnvironment } from 'jest-environment-node';
import { ModuleMocker } from 'jest-mock';

/**
 * Jest's environment for Node is a realm with separate built-in objects (`String`, `Error`, ...). Because of
 * `shared-modules.mjs`, the tests run outside of that realm. Therefore this environment passes the built-in objects of the
 * tests to Jest, because `expect.any(String)` compares them by identity. Jest's mocks and fake timers replace the functions
 * that the tests call.
 */
export default class SharedRealm extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (typeof globalThis[name] === 'function' && /^[A-Z]/.test(name)) this.global[name] = globalThis[name];
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  /**
   * A shorter time limit of a single test or hook is raised to that of all (`testTimeout`): limits only end what hangs, and
   * a slow machine takes several times the usual time.
   */
  handleTestEvent(event, { testTimeout }) {
    const limited =
      event.name === 'test_fn_start' ? event.test : event.name === 'hook_start' ? event.hook : undefined;
    if (limited?.timeout) limited.timeout = Math.max(limited.timeout, testTimeout);
  }
}
