import { withinOnThisMachine } from './slow-machine.ts';

/**
 * Repeats `ask` until it returns a value other than undefined and false, for work that is done in the background. The
 * default limit is long enough for a busy machine; a test of a promised time sets its own. On a slow machine, both are
 * longer.
 */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined | false>,
  withinMillis = 60_000,
): Promise<Value> {
  const limitMillis = withinOnThisMachine(withinMillis);
  const until = Date.now() + limitMillis;
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > until) throw new Error(`Expected a value within ${limitMillis} ms; there was none.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
