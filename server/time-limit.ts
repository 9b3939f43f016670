/**
 * Runs `work` with a signal that aborts after the time limit. `AbortSignal.timeout` would also do so, but it aborts even if the
 * work has long ended, which then costs more than a timer that is cleared.
 */
export async function withinTime<Result>(
  millis: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), millis);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
