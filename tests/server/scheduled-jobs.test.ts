import { afterEach, describe, expect, it } from '@jest/globals';
import { parseCronItems, run as runWorker } from 'graphile-worker';
import { z } from 'zod';
import { jobsPool } from '#server/jobs/jobs-schema.ts';
import { cronItemOf, scheduledAmong } from '#server/jobs/schedule.ts';
import { eventually } from '../support/eventually.ts';
import { defineJob, jobDatabases } from '../support/job-databases.ts';

const { opened, closeAfterTest } = jobDatabases(afterEach);

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
      closeAfterTest(async () => {
        await runner.stop();
        await pool.end();
      });
    }
    await eventually(async () => ran.length >= 6);
    await eventually(async () => (await stored()).length === 0);
    expect(ran.length).toBeLessThanOrEqual(8); // 6 or 7 due times in an hour, and the start
  });

  it('that fails is stored once, however often a worker starts', async () => {
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
