/**
 * Runs operations with @defer in parts and as a whole, and prints how many were compared, as JSON. It exits with the code 1
 * at the first difference, which it prints in full. It is a separate program because Jest's modules make it five times as
 * slow.
 *
 *     node tests/support/programs/compare-deferred.ts made-up|hard <operations in parts> <seed>
 */
import { readFileSync } from 'node:fs';
import { SERVICE_NAMES } from '#server/settings.ts';
import { DeferredAndWhole } from '../graph-doubles/deferred-and-whole.ts';
import { HARD_SDLS } from '../graph-doubles/hard-graph.ts';
import { deferring, madeUpOperation } from '../graph-doubles/made-up-operations.ts';
import type { Scenario } from '../graph-doubles/made-up-subgraph.ts';

const [which, count, baseSeed = ''] = process.argv.slice(2);
const compared = { operations: 0, inParts: 0, runs: 0, parts: 0, nulls: 0 };
const graph = new DeferredAndWhole(which === 'hard' ? HARD_SDLS : ownSdls());
for (let number = 0; compared.inParts < Number(count); number += 1) await compare(`${baseSeed} ${number}`);
console.log(JSON.stringify(compared));

function ownSdls(): Record<string, string> {
  const sdlOf = (name: string) =>
    readFileSync(new URL(`../../../schema/${name}.graphql`, import.meta.url), 'utf8');
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, sdlOf(name)]));
}

async function compare(seed: string): Promise<void> {
  const { query, variables } = deferring(madeUpOperation(graph.loaded.apiSchema, seed), seed);
  const prepared = graph.prepare(query, variables);
  if (!prepared) return;
  compared.operations += 1;
  let isInParts = false;
  for (const scenario of scenariosOf(seed)) {
    const outcome = await graph.compare(prepared, scenario);
    if (!outcome) continue;
    if (outcome.difference)
      throw new Error([scenario.seed, query, JSON.stringify(variables), outcome.difference].join('\n'));
    compared.runs += 1;
    compared.parts += outcome.parts;
    compared.nulls += outcome.nulls;
    isInParts = true;
  }
  if (isInParts) compared.inParts += 1;
}

function scenariosOf(seed: string): Scenario[] {
  return [
    { seed: `${seed} calm`, nulls: 0, failures: 0, distorts: false },
    { seed: `${seed} with nulls`, nulls: 0.15, failures: 0, distorts: false },
    { seed: `${seed} failing`, nulls: 0.05, failures: 0.05, distorts: false },
  ];
}
