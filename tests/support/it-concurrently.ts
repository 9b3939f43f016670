import { beforeAll, it } from '@jest/globals';

/**
 * A test that mostly waits, for example for a time limit of the product. All tests of this kind in a `describe` begin
 * together, before its first test, so they must not depend on each other. With `-t` the other tests of this kind run, too,
 * but their results are not shown.
 */
export function itConcurrently(name: string, run: () => Promise<unknown>, timeoutMillis?: number): void {
  let result: Promise<unknown> | undefined;
  beforeAll(() => {
    result = run();
    result.catch(() => undefined); // the test below reports it
  });
  // oxlint-disable-next-line jest/expect-expect, jest/valid-title -- the caller has the expectations and the title
  it(name, async () => void (await result), timeoutMillis);
}
