/** A server with an unhandled exception or rejection, according to its argument, a moment after its start. */
import { runUntilSignal } from '#server/run-until-signal.ts';

await runUntilSignal(async (progress) => {
  setTimeout(() => {
    if (process.argv[2] === 'rejection') void Promise.reject(new Error('nobody waits for this'));
    else throw new Error('nobody catches this');
  }, 10);
  return { stop: async () => progress('everything is closed'), stopGracePeriodMillis: 1_000 };
});
