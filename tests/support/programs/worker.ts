import { serveJobs } from '#server/workers/serve-jobs.ts';

/** The program that the helpers of the pool in tests/server/worker-pool.test.ts run. */
serveJobs(({ does, text }: { does: 'echo' | 'throw' | 'exit' | 'grow' | 'hang'; text: string }): string => {
  if (does === 'throw') throw new Error(text);
  if (does === 'exit') process.exit(1);
  if (does === 'grow') return `${Array.from({ length: 4e6 }, () => ({})).length} objects`; // more than 200 MiB
  while (does === 'hang');
  return text;
});
