/**
 * The gateway's memory over 200,000 requests with 20,000 distinct operations: `npm run bench:memory`. Every tenth
 * request is a new operation; the others repeat earlier ones.
 */
import { COMPARED_PROGRAMS, OURS } from './compared-programs.ts';
import { pressure } from './load.ts';
import { memoryMibOf } from './processes.ts';
import { writeMemory } from './report.ts';
import { startComparison } from './comparison.ts';
import { WORKLOADS } from './workloads.ts';

const REQUESTS = 200_000;
const DISTINCT = 20_000;
const STEPS = 10;

const workload = WORKLOADS.find(({ name }) => name === 'shop small');
if (!workload) throw new Error('no such workload');
const programs = COMPARED_PROGRAMS.filter(({ name }) => name === OURS);
const comparison = await startComparison(workload, programs, { sharing: false, log: console.log });
const [one] = comparison.programs;
if (!one) throw new Error('nothing to measure');
one.process.resume();

const samples: { requests: number; memoryMib: number }[] = [];
try {
  const perStep = REQUESTS / STEPS;
  for (let step = 0; step < STEPS; step += 1) {
    const bodies = Array.from({ length: perStep }, (_, index) => {
      const at = step * perStep + index;
      return bodyOf(at % 10 === 0 ? at / 10 : Math.floor(Math.random() * (at / 10)) % 500);
    });
    // `requests` ends the load after each body was sent once, long before the 600 s.
    const { failures } = await pressure({
      url: one.url,
      bodies,
      headers: comparison.headers,
      seconds: 600,
      connections: 20,
      requests: perStep,
    });
    if (failures) throw new Error(`${failures} requests failed`);
    samples.push({ requests: (step + 1) * perStep, memoryMib: memoryMibOf(one.process.pid) });
    console.log(samples.at(-1));
  }
} finally {
  await comparison.stop();
}
await writeMemory(samples, DISTINCT);

function bodyOf(operation: number): string {
  const fields = ['price', 'inStock', 'shippingEstimate', 'weight'].filter(
    (_, bit) => (operation >> bit) & 1,
  );
  return JSON.stringify({
    query: `query Number${operation} { me { id own${operation}: name } topProducts(first: 5) { upc name ${fields.join(' ')} } }`,
  });
}
