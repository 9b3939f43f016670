/**
 * The cost of a backup and a restore with many rows, on an embedded database in a temporary folder: time, processor time,
 * peak memory and size, and the latency of requests during the backup as a multiple of that without it, in one run.
 *
 *     npm run bench:backup [-- VISITS]      1,000,000 by default
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { DEMO_GYMS, DEMO_PASSWORD, demoPerson } from '#server/demo-ids.ts';
import { socketDirOf } from '#server/embedded-postgres/embedded-postgres.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../../tests/support/process.ts';
import { testRun } from '../../tests/support/test-run.ts';
import { cost, type Cost } from './cost.ts';
import { Latency } from './latency.ts';

const visits = Number(process.argv[2] ?? 1_000_000);
/** How long requests are measured before the backup, and again after it. */
const WITHOUT_MILLIS = 15_000;
const folder = await mkdtemp(path.join(os.tmpdir(), 'fitness-backup-'));
// The function of the tests that starts programs reads these values. The database server of the tests is not used.
testRun.publish({
  runId: 'bench',
  server: { socketDir: folder },
  compileCache: path.join(folder, 'compiled'),
});
const file = path.join(folder, 'backup.zip');
const dataDir = path.join(folder, 'data');
const environmentOf = (data: string) => ({
  HOST: '127.0.0.1',
  DATA_DIR: data,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'error',
  ...ANY_PORTS,
});

let platform: StartedProcess | undefined;
try {
  platform = startProcess([], environmentOf(dataDir));
  await platform.printed(/Ready after/);
  const [, gateway = ''] = await platform.printed(/^ {2}gateway +(http:\/\/\S+)/m);
  const bytes = await addVisits();
  const requests = await Latency.of(gateway, demoPerson('maya@iron.test').email, DEMO_PASSWORD);
  await requests.during(3_000); // warm-up
  const before = await requests.during(WITHOUT_MILLIS);
  const backup = cost(['backup', file], environmentOf(dataDir));
  const beside = await requests.during(backup.ended);
  const measured = await backup.ended;
  const alone = [...before, ...(await requests.during(WITHOUT_MILLIS))];
  await platform.end('SIGTERM');
  platform = undefined;
  const restore = await cost(['restore', file], environmentOf(path.join(folder, 'restored'))).ended;
  console.log(
    `${visits} visits: ${megabytes(bytes)} in PostgreSQL, ${megabytes((await stat(file)).size)} in the backup`,
  );
  print('backup', measured);
  print('restore', restore);
  for (const share of [0.5, 0.95, 0.99])
    console.log(
      `latency at ${share * 100} %: ${Latency.at(beside, share).toFixed(1)} ms beside the backup (${beside.length} requests), ` +
        `${Latency.at(alone, share).toFixed(1)} ms without (${alone.length}): ${(Latency.at(beside, share) / Latency.at(alone, share)).toFixed(2)}`,
    );
} finally {
  await platform?.end('SIGTERM');
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

function print(name: string, { exitCode, seconds, processorSeconds, peakBytes }: Cost): void {
  if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}`);
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of processor in the command, peak ${megabytes(peakBytes)}`,
  );
}

/** Adds visits in the past, each of a different user. Returns the size of all databases in bytes. */
async function addVisits(): Promise<number> {
  const client = new pg.Client(
    connectionTo({ socketDir: socketDirOf(path.join(dataDir, 'postgres')) ?? '' }, 'platform_gym'),
  );
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query(
      `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, source, checked_in_by)
       select gen_random_uuid(), gen_random_uuid(), $2, (select id from location where gym_id = $2 limit 1), at, at + interval '90 minutes',
         at + interval '70 minutes', 'MANUAL', 'QR', 'app', gen_random_uuid()
       from (select now() - interval '1 day' - n * interval '10 seconds' as at from generate_series(1, $1::int) as n) as visits`,
      [visits, DEMO_GYMS.ironTemple.id],
    );
    const { rows } = await client.query<{ size: string }>(
      'select sum(pg_database_size(oid)) as size from pg_database',
    );
    return Number(rows[0]?.size);
  } finally {
    await client.end();
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
