import { serveJobs } from '#server/workers/serve-jobs.ts';

/** The program of the threads of tests/server/worker-pool.test.ts. */
serveJobs(({ does, text }: { does: 'echo' | 'throw' | 'exit'; text: string }): string => {
  if (does === 'throw') throw new Error(text);
  if (does === 'exit') process.exit(1);
  return text;
});
