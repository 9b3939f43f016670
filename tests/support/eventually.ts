/**
 * Repeats `ask` until it returns a value other than undefined and false, for work that is done in the background. The
 * default limit is long enough for a busy machine; a test of a promised time sets its own.
 */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined | false>,
  withinMillis = 60_000,
): Promise<Value> {
  const until = Date.now() + withinMillis;
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > until) throw new Error(`Expected a value within ${withinMillis} ms; there was none.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
