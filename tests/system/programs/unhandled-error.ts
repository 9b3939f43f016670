/** A server whose work throws where nobody handles it, a moment after it has begun, as its argument says. */
import { runUntilSignal } from '#server/run-until-signal.ts';

await runUntilSignal(async (progress) => {
  setTimeout(() => {
    if (process.argv[2] === 'rejection') void Promise.reject(new Error('nobody waits for this'));
    else throw new Error('nobody catches this');
  }, 10);
  return { stop: async () => progress('everything is closed'), stopGracePeriodMillis: 1_000 };
});
