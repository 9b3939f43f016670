import { afterEach, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { jobOf } from '#server/jobs/job.ts';
import { JobRefused } from '#server/jobs/job-refused.ts';
import { jobMetrics } from '#server/jobs/run-job.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import type { JournalJob } from '../../subgraphs/squad/storage/journal.ts';
import { FileJobs } from '../../subgraphs/squad/storage/file-jobs.ts';
import { eventually } from '../support/eventually.ts';

const log = createLogger('squad', 'silent');
let jobs: FileJobs | undefined;
afterEach(() => jobs?.dispose());

function opened(
  run: (attempt: number) => Promise<void>,
  needed: readonly JournalJob[] = [],
  onRead = () => {},
) {
  const metrics = createMetrics('squad');
  const attempts: Date[] = [];
  const write = jobOf()({
    name: 'write',
    payload: z.object({ id: z.string() }),
    maxAttempts: 3,
    run: () => run(attempts.push(new Date())),
  });
  jobs = new FileJobs({
    jobs: [write],
    resources: {},
    unitOf: () => new UnitOfWork(undefined, ANONYMOUS, log, NO_ORIGIN),
    log,
    metrics: jobMetrics(metrics, [write.name]),
    async *pending() {
      yield needed;
      onRead();
    },
  });
  return { jobs, attempts, text: async () => (await metrics.text()).body };
}
const WRITE = { name: 'write', payload: { id: 'a' }, maxAttempts: 3 };

test('a job that is added while the same job ends runs again, at whatever moment it is added', async () => {
  // A run ends within some turns of the microtask queue. Each round adds the job in another turn.
  const lost: number[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const { jobs: one, attempts } = opened(async (attempt) => {
      if (attempt > 1) return;
      let left = turn;
      const wait = (): void => (left-- > 0 ? queueMicrotask(wait) : one.add(WRITE));
      queueMicrotask(wait);
    });
    one.add(WRITE);
    await eventually(async () => one.rows().length === 0);
    if (attempts.length !== 2) lost.push(turn);
    await one.dispose();
  }
  expect(lost).toEqual([]);
});

test('metrics count attempts, jobs that wait and jobs that have failed for good', async () => {
  const {
    jobs: one,
    attempts,
    text,
  } = opened(async (attempt) => {
    if (attempt === 1) throw new Error('not yet <leo@iron.test>');
    if (attempt === 2) throw new JobRefused('never');
  });
  one.add(WRITE);
  await eventually(async () => one.rows()[0]?.error !== null);
  expect(one.rows()).toMatchObject([{ attempts: 1, error: 'not yet <[address]>', isLocked: false }]);
  one.add({ ...WRITE, payload: { id: 'later' }, runAt: new Date(Date.now() + 60_000) });
  await eventually(async () => (await text()).includes('jobs_pending{name="write",service="squad"} 1'));
  expect(attempts).toHaveLength(2); // The second attempt was a second after the first.
  expect(await text()).toContain('jobs_failed_total{name="write",service="squad"} 1');
  expect(await text()).toContain(
    'job_duration_seconds_count{service="squad",name="write",outcome="failed"} 2',
  );
  expect(one.rows()).toMatchObject([{ attempts: 2, maxAttempts: 2, error: 'never' }, { attempts: 0 }]);
  one.retry(one.rows()[0]?.id ?? '');
  await eventually(async () => one.rows().length === 1);
  expect(await text()).toContain('job_duration_seconds_count{service="squad",name="write",outcome="done"} 1');
});

test('refused jobs, of which the last 1,000 are listed, do not keep others from being read from the journals', async () => {
  const needed = Array.from({ length: 12_000 }, (_, index) => ({ ...WRITE, payload: { id: String(index) } }));
  const { jobs: one, attempts } = opened(async (attempt) => {
    if (attempt <= 12_000) throw new JobRefused('never');
  }, needed);
  one.start();
  await eventually(async () => attempts.length >= 12_000, 60_000);
  await eventually(async () => one.rows().length === 1_000);
  expect(one.rows().every(({ error }) => error === 'never')).toBe(true);
});

test('a job that was refused does not run again when the journals are read again after a failed reading', async () => {
  let reads = 0;
  const run = async () => {
    throw new JobRefused('never');
  };
  const { jobs: one, attempts } = opened(run, [WRITE], () => {
    if ((reads += 1) < 3) throw new Error('cannot be read');
  });
  one.start();
  await eventually(async () => reads === 3);
  await new Promise(setImmediate);
  expect(attempts).toHaveLength(1);
});
