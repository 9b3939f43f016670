/**
 * Counts the instructions that this gateway and that of another checkout of this repository execute for a request. Unlike
 * CPU time, this number does not depend on what else the machine is doing; it does not contain the work of the kernel.
 *
 *     npm run bench:instructions -- ../other-checkout                     with the workload "platform small"
 *     npm run bench:instructions -- ../other-checkout "shop small"
 *
 * Needs valgrind (Debian's package `valgrind`), under which a gateway is some 30 times as slow: both take about 15 min. The
 * other checkout must have its dependencies installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startComparison, type RunningProgram } from './comparison.ts';
import { gatewayOf, OWN_MAIN } from './compared-programs.ts';
import { WORKLOADS } from './workloads.ts';

/** V8 has compiled everything by then that it compiles. */
const WARM_UP_REQUESTS = 20_000;
/** Most counts also contain a compilation or a collection of all garbage, so the least ones are compared. */
const COUNTS = 15;
const REQUESTS_OF_A_COUNT = 1_000;
/** All of V8's work is done in the counted thread, at once and in the same order in each run. */
const NODE_OPTIONS = ['--single-threaded', '--single-threaded-gc'];

const [other, name = 'platform small'] = process.argv.slice(2);
const workload = WORKLOADS.find((one) => one.name === name);
if (!other || !workload)
  throw new Error(
    `Expected the folder of another checkout and a workload (${WORKLOADS.map((one) => one.name).join(', ')}).`,
  );
if (spawnSync('valgrind', ['--version']).status !== 0)
  throw new Error('valgrind is not installed: apt-get install valgrind');

const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-instructions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const comparison = await startComparison(
  workload,
  [
    gatewayOf('this checkout', OWN_MAIN, NODE_OPTIONS),
    gatewayOf('the other checkout', path.resolve(other, 'main.ts'), NODE_OPTIONS),
  ],
  {
    sharing: false,
    log: console.log,
    commandPrefix: [
      'valgrind',
      '--tool=callgrind',
      '--smc-check=all-non-file', // V8 writes code while it runs
      '--instr-atstart=no',
      `--callgrind-out-file=${folder}/%p`,
    ],
  },
);
try {
  const counts: number[] = [];
  for (const program of comparison.programs) {
    const instructions = await instructionsOf(program);
    counts.push(instructions);
    console.log(
      `${program.program.name}: ${Math.round(instructions / 1_000)} thousand instructions per request`,
    );
  }
  const [own = 0, others = 0] = counts;
  console.log(`this checkout / the other checkout: ${(own / others).toFixed(3)}`);
} finally {
  await comparison.stop();
}

/** The least number of instructions per request. */
async function instructionsOf({
  program,
  process: { pid, resume, pause },
  load,
}: RunningProgram): Promise<number> {
  resume();
  console.log(`${program.name}: ${WARM_UP_REQUESTS} requests before the first count`);
  await load.pressure(Infinity, WARM_UP_REQUESTS);
  control(pid, '--instr=on');
  const perRequest: number[] = [];
  for (let count = 0; count < COUNTS; count += 1) {
    control(pid, '--zero');
    const { requests, failures } = await load.pressure(Infinity, REQUESTS_OF_A_COUNT);
    if (failures > 0) throw new Error(`${failures} requests failed`);
    control(pid, '--dump=count');
    perRequest.push(countedIn(latestDump(pid)) / requests);
    console.log(`  ${Math.round((perRequest.at(-1) ?? 0) / 1_000)}`);
  }
  pause();
  return Math.min(...perRequest);
}

/** valgrind names its pipes after `HOST` of the measured program. */
function control(pid: number, command: string): void {
  const { status, stderr } = spawnSync('callgrind_control', [command, String(pid)], {
    env: { ...process.env, HOST: '127.0.0.1' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`callgrind_control: ${stderr}`);
}

function latestDump(pid: number): string {
  const numbers = readdirSync(folder)
    .filter((file) => file.startsWith(`${pid}.`))
    .map((file) => Number(file.slice(file.indexOf('.') + 1)));
  return readFileSync(path.join(folder, `${pid}.${Math.max(...numbers)}`), 'utf8');
}

function countedIn(dump: string): number {
  const total = /^(?:totals|summary): (\d+)/m.exec(dump)?.[1];
  if (total === undefined) throw new Error('valgrind has written no total');
  return Number(total);
}
