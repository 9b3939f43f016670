import { EventEmitter, once } from 'node:events';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { connectionTo } from '#server/database/connection.ts';
import { addJob } from '#server/jobs/add-job.ts';
import type { JobContext } from '#server/jobs/job.ts';
import { itConcurrently } from '../support/it-concurrently.ts';
import { eventually } from '../support/eventually.ts';
import { defineJob, jobDatabases, recordingJob } from '../support/job-databases.ts';
import { startProcess } from '../support/process.ts';

describe('the workers of replicas', () => {
  const { opened } = jobDatabases(afterAll);

  itConcurrently('share the jobs: each job runs once', async () => {
    const { unitOf, start, stored } = await opened();
    const jobs = [recordingJob(), recordingJob(), recordingJob()];
    const busy = jobs.map(({ job, ran }) => ({
      ran,
      job: {
        ...job,
        run: async (payload: { n: number }, context: JobContext<object>) => {
          await job.run(payload, context);
          await new Promise((resolve) => setImmediate(resolve));
        },
      },
    }));
    const unit = unitOf();
    await unit.transaction(async () => {
      for (let n = 0; n < 300; n += 1) await addJob(unit.em, busy[0]!.job, { n });
    });
    for (const { job } of busy) start([job]);
    await eventually(async () => (await stored()).length === 0);
    const ran = busy.flatMap((one) => one.ran);
    expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n));
    expect(busy.filter((one) => one.ran.length > 0).length).toBeGreaterThan(1);
  });

  itConcurrently('take over the jobs of a killed process within 35 s', async () => {
    const { address, unitOf, start, stored, sql } = await opened();
    const { job, ran } = recordingJob('endless');
    const payload = z.object({});
    const killed = startProcess(
      [],
      { TEST_DATABASE: JSON.stringify({ server: address.server, name: address.name }) },
      'tests/support/programs/killed-worker.ts',
    );
    await addJob(unitOf().em, { ...job, payload }, {});
    await killed.printed(/begun/);
    await killed.end('SIGKILL');
    expect(await stored()).toMatchObject([{ name: 'endless', locked: true, attempts: 1 }]);
    const pastMillis = 17_000; // so that the test need not wait for the whole time
    await sql('update graphile_worker._private_jobs set locked_at = now() - make_interval(secs => ?)', [
      pastMillis / 1_000,
    ]);
    const begunAt = Date.now();
    start([{ ...job, payload, run: async () => void ran.push(1) }]);
    await eventually(async () => (await stored()).length === 0, 40_000);
    expect(ran).toEqual([1]);
    expect(Date.now() - begunAt + pastMillis).toBeLessThan(35_000);
  });

  itConcurrently('do not take over a job of a living process, however long it runs', async () => {
    const { unitOf, start, stored, sql } = await opened();
    const events = new EventEmitter();
    const { job, ran } = recordingJob('long', async () => void (await once(events, 'go')));
    start([job]);
    start([job]);
    await addJob(unitOf().em, job, { n: 1 });
    await eventually(async () => ran.length === 1);
    await sql(
      "update graphile_worker._private_jobs set locked_at = now() - interval '10 seconds' where locked_at is not null",
    );
    // The job's worker renews the lock. Other workers take over a job whose lock is older than 20 s.
    await eventually(async () => {
      const [row] = await sql<{ renewed: boolean }>(
        `select locked_at > now() - interval '8 seconds' as renewed from graphile_worker.jobs where task_identifier = 'long'`,
      );
      return row?.renewed;
    });
    events.emit('go');
    await eventually(async () => (await stored()).length === 0);
    expect(ran).toEqual([1]);
  });

  itConcurrently('continue after their connections were lost', async () => {
    const { address, unitOf, start, stored } = await opened();
    const { job, ran } = recordingJob();
    start([job]);
    await addJob(unitOf().em, job, { n: 1 });
    await eventually(async () => (await stored()).length === 0);
    const admin = new pg.Client(connectionTo(address.server, 'postgres'));
    await admin.connect();
    const { rowCount } = await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name like $2',
      [address.name, '% jobs'],
    );
    await admin.end();
    expect(rowCount).toBeGreaterThan(0);
    expect(rowCount).toBeLessThanOrEqual(2); // the connections of one worker
    await addJob(unitOf().em, job, { n: 2 });
    await eventually(async () => (await stored()).length === 0);
    expect(ran).toEqual([1, 2]);
  });
});

describe('a stop', () => {
  const { opened } = jobDatabases(afterEach);

  it('waits for the running jobs, and begins no others', async () => {
    const { unitOf, start, stored } = await opened();
    const events = new EventEmitter();
    const { job, ran } = recordingJob('slow', async () => void (await once(events, 'go')));
    const running = start([job]);
    for (const n of [1, 2, 3]) await addJob(unitOf().em, job, { n });
    await eventually(async () => ran.length === 2); // two at a time
    running.drain();
    setImmediate(() => events.emit('go'));
    await running.stop();
    expect(ran).toHaveLength(2);
    expect(await stored()).toMatchObject([{ attempts: 0, locked: false }]);
  });

  it('aborts the signal of a running job, so that the job can end', async () => {
    const { unitOf, start, stored } = await opened();
    const events = new EventEmitter();
    const job = defineJob({
      name: 'polite',
      payload: z.object({}),
      maxAttempts: 1,
      async run(_payload, { signal }) {
        events.emit('begun');
        await once(signal, 'abort');
      },
    });
    const begun = once(events, 'begun');
    const running = start([job]);
    await addJob(unitOf().em, job, {});
    await begun;
    await running.stop();
    expect(await stored()).toEqual([]);
  });

  it('releases a job that does not end, so that another replica runs it at once', async () => {
    const { unitOf, start, stored } = await opened();
    const { job, ran } = recordingJob('stuck', () => new Promise(() => undefined));
    const running = start([job]);
    await addJob(unitOf().em, job, { n: 1 });
    await eventually(async () => ran.length === 1);
    await running.stop();
    expect(await stored()).toMatchObject([{ locked: false, attempts: 1 }]);
    const { job: same, ran: again } = recordingJob('stuck');
    start([same]);
    await eventually(async () => again.length === 1, 10_000);
  });
});
