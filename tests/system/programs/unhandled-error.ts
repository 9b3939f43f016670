/** A server with an unhandled error, 10 ms after its start: a rejection if its argument is `rejection`, else an exception. */
import { runUntilSignal } from '#server/run-until-signal.ts';

await runUntilSignal(async (progress) => {
  setTimeout(() => {
    if (process.argv[2] === 'rejection') void Promise.reject(new Error('a rejection without a handler'));
    else throw new Error('an exception without a handler');
  }, 10);
  return { stop: async () => progress('everything is closed'), stopGracePeriodMillis: 1_000 };
});
