import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { addJob, forgetJobsAbout } from '#server/jobs/add-job.ts';
import type { AnyJob } from '#server/jobs/job.ts';
import { migrateJobs } from '#server/jobs/jobs-schema.ts';
import { removeFailedJobs } from '#server/jobs/remove-failed-jobs.ts';
import { itConcurrently } from '../support/it-concurrently.ts';
import { eventually } from '../support/eventually.ts';
import { defineJob, jobDatabases, recordingJob, Numbered } from '../support/job-databases.ts';

describe('a job', () => {
  const { opened } = jobDatabases(afterAll);

  itConcurrently(
    'runs once after the commit of the transaction that adds it, and never if the transaction is rolled back',
    async () => {
      const { unitOf, start, stored } = await opened();
      const { job, ran } = recordingJob();
      start([job]);
      const unit = unitOf();
      await expect(
        unit.transaction(async () => {
          await addJob(unit.em, job, { n: 1 });
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      await unit.transaction(async () => {
        await addJob(unit.em, job, { n: 2 });
        expect(await stored()).toEqual([]); // another connection does not see it before the commit
      });
      await addJob(unitOf().em, job, { n: 3 });
      await eventually(async () => (await stored()).length === 0);
      expect(ran).toEqual([2, 3]);
    },
  );

  itConcurrently('is refused with a payload that does not have its shape', async () => {
    const { unitOf, stored } = await opened();
    const { job } = recordingJob();
    await expect(addJob(unitOf().em, job, { n: 1.5 })).rejects.toThrow(/int/);
    expect(await stored()).toEqual([]);
  });

  itConcurrently('waits for its time; another with the same key replaces it', async () => {
    const { unitOf, start, sql, stored } = await opened();
    const { job, ran } = recordingJob();
    start([job]);
    for (const n of [1, 2, 3])
      await addJob(unitOf().em, job, { n }, { runAt: new Date(Date.now() + 60_000), key: 'one' });
    expect(await stored()).toHaveLength(1);
    await sql("update graphile_worker._private_jobs set run_at = now() where key = 'recorded one'");
    await eventually(async () => (await stored()).length === 0);
    expect(ran).toEqual([3]);
  });

  itConcurrently('runs again after a failure; its error is stored without addresses', async () => {
    const { unitOf, start, stored } = await opened();
    let isBroken = true;
    const { job, ran } = recordingJob('failing', async () => {
      if (isBroken) throw new Error('550 <maya.b@iron.test>: unknown user "x@y"');
    });
    const { metrics } = start([job]);
    await addJob(unitOf().em, job, { n: 1 });
    const [failed] = await eventually(async () => {
      const jobs = await stored();
      return jobs[0]?.error ? jobs : undefined;
    });
    expect(failed).toEqual({
      name: 'failing',
      attempts: 1,
      error: '550 <[address]>: unknown user "[address]"',
      locked: false,
    });
    isBroken = false;
    await eventually(async () => (await stored()).length === 0);
    expect(ran.length).toBeGreaterThan(1);
    const { body } = await metrics.text();
    expect(body).toContain('job_duration_seconds_count{service="jobs",name="failing",outcome="done"} 1');
    expect(body).toContain('job_duration_seconds_count{service="jobs",name="failing",outcome="failed"} 1');
    expect(body).toContain('jobs_failed_total{name="failing",service="jobs"} 0');
  });

  itConcurrently('stays after its last attempt, is counted, and does not run again by itself', async () => {
    const { unitOf, start, stored, sql } = await opened();
    const job = defineJob({
      name: 'hopeless',
      payload: z.object({}),
      maxAttempts: 1,
      run: () => Promise.reject(new Error('no')),
    });
    const { metrics } = start([job]);
    await addJob(unitOf().em, job, {});
    await eventually(async () => Boolean((await stored())[0]?.error));
    await sql('update graphile_worker._private_jobs set run_at = now()');
    await sql(`select pg_notify('jobs:insert', '{"count":9}')`);
    const { job: other, ran } = recordingJob();
    start([job, other]);
    await addJob(unitOf().em, other, { n: 1 });
    await eventually(async () => ran.length === 1);
    await eventually(async () => (await stored()).length === 1);
    expect(await stored()).toMatchObject([{ name: 'hopeless', attempts: 1, error: 'no' }]);
    expect((await metrics.text()).body).toContain('jobs_failed_total{name="hopeless",service="jobs"} 1');
  });

  itConcurrently('about a user is removed with their account, whether it waits or has failed', async () => {
    const { unitOf, stored, sql } = await opened();
    const [gone, staying] = ['0198c2c6-0000-7000-8000-00000000000A', '0198c2c6-0000-7000-8000-00000000000b'];
    const job = defineJob({
      name: 'about',
      payload: z.object({ userId: z.string() }),
      maxAttempts: 1,
      run: async () => undefined,
    });
    for (const userId of [gone, gone, staying]) await addJob(unitOf().em, job, { userId });
    await sql(
      'update graphile_worker._private_jobs set attempts = 1 where id = (select min(id) from graphile_worker._private_jobs)',
    );
    await forgetJobsAbout(unitOf().em, gone.toLowerCase());
    expect(await stored()).toHaveLength(1);
    expect(await sql("select payload->>'userId' as id from graphile_worker._private_jobs")).toEqual([
      { id: staying },
    ]);
  });
});

const { opened } = jobDatabases(afterEach);

it('the schema of jobs is installed once by replicas that start at once', async () => {
  const { address, sql } = await opened();
  const { server, name } = address;
  await sql('drop schema graphile_worker cascade');
  await Promise.all(Array.from({ length: 6 }, () => migrateJobs(server, name)));
  const [{ migrations } = { migrations: 0 }] = await sql<{ migrations: number }>(
    'select count(*)::int as migrations from graphile_worker.migrations',
  );
  expect(migrations).toBeGreaterThanOrEqual(20);
});

it('failed jobs are removed after 30 days, those of a scheduled job as soon as a later one has failed', async () => {
  const { sql, unitOf } = await opened();
  const scheduled = defineJob({
    name: 'hourly',
    payload: z.object({}),
    maxAttempts: 1,
    schedule: 'hour',
    run: async () => undefined,
  });
  const { job } = recordingJob('other');
  const failed = async (one: AnyJob, days: number, n = 0) => {
    await addJob(unitOf().em, { ...one, payload: Numbered }, { n });
    await sql(
      `update graphile_worker._private_jobs set attempts = max_attempts, run_at = now() - make_interval(days => ?)
       where id = (select max(id) from graphile_worker._private_jobs)`,
      [days],
    );
  };
  await failed(scheduled, 1, 1);
  await failed(scheduled, 0, 2);
  await failed(job, 31, 3);
  await failed(job, 29, 4);
  await addJob(unitOf().em, job, { n: 5 }, { runAt: new Date(0) });
  await removeFailedJobs([scheduled, job]).run(
    {},
    {
      unit: unitOf(),
      unitOf,
      resources: {},
      signal: new AbortController().signal,
      isLastAttempt: false,
    },
  );
  const left = await sql<{ n: number }>(
    "select (payload->>'n')::int as n from graphile_worker._private_jobs order by id",
  );
  expect(left.map(({ n }) => n)).toEqual([2, 4, 5]);
});
