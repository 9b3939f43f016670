import { EventEmitter, once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { connectionTo } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/database.ts';
import { addJob, forgetJobsAbout } from '#server/jobs/add-job.ts';
import { jobOf, type AnyJob, type JobContext } from '#server/jobs/job.ts';
import { migrateJobs } from '#server/jobs/jobs-schema.ts';
import { cronItemOf, scheduledAmong } from '#server/jobs/schedule.ts';
import { removeFailedJobs } from '#server/jobs/remove-failed-jobs.ts';
import { startJobs } from '#server/jobs/start-jobs.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { parseCronItems, run as runWorker } from 'graphile-worker';
import { jobsPool } from '#server/jobs/jobs-schema.ts';
import { database } from '../../subgraphs/content/database.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startProcess } from '../support/process.ts';

const log = createLogger('jobs', 'silent');
const defineJob = jobOf<object>();
const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

async function opened(clone?: ClonedDatabase) {
  const address = clone ?? (await cloneDatabase(database));
  const { server, name } = address;
  const orm = await openDatabase(database, { server, name, migrate: false });
  closings.push(() => orm.close(true));
  const unitOf = () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
  const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    orm.em.fork().execute<Row[]>(text, values);
  /** Starts a replica's worker; several may run over one database. */
  const start = (jobs: readonly AnyJob[]) => {
    const metrics = createMetrics('jobs');
    const running = startJobs({ jobs, resources: {}, unitOf, database: { server, name }, metrics, log });
    closings.push(() => running.stop());
    return { ...running, stop: () => running.stop(), drain: () => running.drain(), metrics };
  };
  const stored = () =>
    sql<{ name: string; attempts: number; error: string | null; locked: boolean }>(
      `select task_identifier as name, attempts, last_error as error, locked_at is not null as locked
       from graphile_worker.jobs where task_identifier <> 'remove_failed_jobs' order by id`,
    );
  return { address, unitOf, sql, start, stored };
}

const Numbered = z.object({ n: z.int() });

/** A job that notes its payloads. */
function noting(name = 'noted', run: (n: number) => Promise<void> = async () => undefined) {
  const ran: number[] = [];
  const job = defineJob({
    name,
    payload: Numbered,
    maxAttempts: 5,
    async run({ n }) {
      ran.push(n);
      await run(n);
    },
  });
  return { job, ran };
}

describe('a job', () => {
  it('runs once after the commit of the transaction that adds it, and never if it is rolled back', async () => {
    const { unitOf, start, stored } = await opened();
    const { job, ran } = noting();
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
  });

  it('is refused with a payload that does not have its shape', async () => {
    const { unitOf, stored } = await opened();
    const { job } = noting();
    await expect(addJob(unitOf().em, job, { n: 1.5 })).rejects.toThrow(/int/);
    expect(await stored()).toEqual([]);
  });

  it('waits for its time, and with the same key it is added only once', async () => {
    const { unitOf, start, sql, stored } = await opened();
    const { job, ran } = noting();
    start([job]);
    for (const n of [1, 2, 3])
      await addJob(unitOf().em, job, { n }, { runAt: new Date(Date.now() + 60_000), key: 'one' });
    expect(await stored()).toHaveLength(1);
    await sql("update graphile_worker._private_jobs set run_at = now() where key = 'noted one'");
    await eventually(async () => (await stored()).length === 0);
    expect(ran).toEqual([3]);
  });

  it('runs again after a failure; its error is stored without addresses', async () => {
    const { unitOf, start, stored } = await opened();
    let isBroken = true;
    const { job, ran } = noting('failing', async () => {
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
    expect(body).not.toContain('jobs_failed_total{name="failing"');
  });

  it('stays after its last attempt, is counted, and does not run again by itself', async () => {
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
    const { job: other, ran } = noting();
    start([job, other]);
    await addJob(unitOf().em, other, { n: 1 });
    await eventually(async () => ran.length === 1);
    await eventually(async () => (await stored()).length === 1);
    expect(await stored()).toMatchObject([{ name: 'hopeless', attempts: 1, error: 'no' }]);
    expect((await metrics.text()).body).toContain('jobs_failed_total{name="hopeless",service="jobs"} 1');
  });

  it('about a user is removed with their account, whether it waits or has failed', async () => {
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

describe('the workers of replicas', () => {
  it('share the jobs: each job runs once', async () => {
    const { unitOf, start, stored } = await opened();
    const jobs = [noting(), noting(), noting()];
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

  it('take over the jobs of a killed process within 30 s', async () => {
    const { address, unitOf, start, stored } = await opened();
    const { job, ran } = noting('endless');
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
    const begun = Date.now();
    start([{ ...job, payload, run: async () => void ran.push(1) }]);
    await eventually(async () => (await stored()).length === 0, 40_000);
    expect(ran).toEqual([1]);
    expect(Date.now() - begun).toBeLessThan(35_000);
  });

  it('do not take over a job of a living process, however long it runs', async () => {
    const { unitOf, start, stored, sql } = await opened();
    const events = new EventEmitter();
    const { job, ran } = noting('long', async () => void (await once(events, 'go')));
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
});

describe('a stop', () => {
  it('waits for the job that runs, and begins no other one', async () => {
    const { unitOf, start, stored } = await opened();
    const events = new EventEmitter();
    const { job, ran } = noting('slow', async () => void (await once(events, 'go')));
    const running = start([job]);
    for (const n of [1, 2, 3]) await addJob(unitOf().em, job, { n });
    await eventually(async () => ran.length === 2); // two at a time
    running.drain();
    setImmediate(() => events.emit('go'));
    await running.stop();
    expect(ran).toHaveLength(2);
    expect(await stored()).toMatchObject([{ attempts: 0, locked: false }]);
  });

  it('asks a long job to end', async () => {
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
    const { job, ran } = noting('stuck', () => new Promise(() => undefined));
    const running = start([job]);
    await addJob(unitOf().em, job, { n: 1 });
    await eventually(async () => ran.length === 1);
    await running.stop();
    expect(await stored()).toMatchObject([{ locked: false, attempts: 1 }]);
    const { job: same, ran: again } = noting('stuck');
    start([same]);
    await eventually(async () => again.length === 1, 10_000);
  });
});

describe('a scheduled job', () => {
  it('is added once for all replicas, at the start and when it is due', async () => {
    const { address, start, stored, sql } = await opened();
    const ran: string[] = [];
    const job = defineJob({
      name: 'hourly',
      payload: z.object({}),
      maxAttempts: 3,
      schedule: 'hour',
      run: async () => void ran.push('at the start'),
    });
    start([job]);
    await eventually(async () => ran.length === 1);
    await eventually(async () => (await stored()).length === 0);
    // Three replicas whose schedule was due every ten minutes of the last hour: each of them adds the missed runs.
    const [item] = scheduledAmong([job]).map(cronItemOf);
    await sql(
      `update graphile_worker._private_known_crontabs set known_since = now() - interval '2 hours', last_execution = null`,
    );
    const due = parseCronItems([
      { ...item!, match: '*/10 * * * *', options: { ...item!.options, jobKey: undefined as never } },
    ]);
    for (let replica = 0; replica < 3; replica += 1) {
      const pool = jobsPool(address.server, address.name, { max: 2 });
      const runner = await runWorker({
        pgPool: pool,
        taskList: { other: async () => undefined },
        parsedCronItems: due,
        noHandleSignals: true,
      });
      closings.push(async () => {
        await runner.stop();
        await pool.end();
      });
    }
    await eventually(async () => ran.length >= 6);
    await eventually(async () => (await stored()).length === 0);
    expect(ran.length).toBeLessThanOrEqual(8); // 6 or 7 due times in an hour, and the start
  });

  it('that fails waits once, however often a worker starts', async () => {
    const { start, stored } = await opened();
    const job = defineJob({
      name: 'minutely',
      payload: z.object({}),
      maxAttempts: 3,
      schedule: 'minute',
      run: () => Promise.reject(new Error('no')),
    });
    for (let starts = 0; starts < 3; starts += 1) {
      const running = start([job]);
      await eventually(async () => (await stored()).some(({ error }) => error));
      await running.stop();
    }
    expect(await stored()).toHaveLength(1);
  });
});

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
  const { job } = noting('other');
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

it('a lost connection does not end the worker', async () => {
  const { address, unitOf, start, stored } = await opened();
  const { job, ran } = noting();
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
