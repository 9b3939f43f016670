/**
 * Runs operations through both executors, and prints how many were compared, as JSON. It exits with the code 1 at the first
 * difference, which it prints in full. It is a separate program because Jest's modules make it five times as slow.
 *
 *     node tests/support/programs/compare-executors.ts made-up|hard|written <operations> <seed>
 */
import { readFileSync } from 'node:fs';
import { Kind, OperationTypeNode, parse } from 'graphql';
import { SERVICE_NAMES } from '#server/settings.ts';
import { BothExecutors, type Prepared } from '../graph-doubles/both-executors.ts';
import { differenceOf } from '../graph-doubles/differences.ts';
import { HARD_SDLS } from '../graph-doubles/hard-graph.ts';
import { madeUpOperation, madeUpVariables } from '../graph-doubles/made-up-operations.ts';
import type { Scenario } from '../graph-doubles/made-up-subgraph.ts';
import { writtenOperations } from '../graph-doubles/written-operations.ts';

const [which, count, baseSeed = ''] = process.argv.slice(2);
const compared = { operations: 0, compiled: 0, runs: 0 };
const executors = new BothExecutors(which === 'hard' ? HARD_SDLS : ownSdls());
if (which === 'written') await compareWritten();
else await compareMadeUp();
// Our executor runs each operation twice: `toJson` and `toResult`.
const { apollo, ours } = executors.requests;
console.log(JSON.stringify({ ...compared, requests: { apollo, ours: ours / 2 } }));

function ownSdls(): Record<string, string> {
  const sdlOf = (name: string) =>
    readFileSync(new URL(`../../../schema/${name}.graphql`, import.meta.url), 'utf8');
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, sdlOf(name)]));
}

async function compareMadeUp(): Promise<void> {
  for (let number = 0; number < Number(count); number += 1) {
    const seed = `${baseSeed} ${number}`;
    const { query, variables } = madeUpOperation(executors.graph.apiSchema, seed);
    const prepared = executors.prepare(query);
    if (prepared) await compare(prepared, variables, seed);
  }
}

async function compareWritten(): Promise<void> {
  // Operations in parts have a comparison of their own: compare-deferred.ts.
  for (const query of writtenOperations().filter((text) => !text.includes('@defer')))
    for (const definition of parse(query).definitions) {
      if (
        definition.kind !== Kind.OPERATION_DEFINITION ||
        definition.operation === OperationTypeNode.SUBSCRIPTION
      )
        continue;
      const prepared = executors.prepare(query, definition.name?.value);
      if (prepared)
        await compare(prepared, madeUpVariables(executors.graph.apiSchema, definition, query), query);
    }
}

async function compare(prepared: Prepared, variables: Record<string, unknown>, seed: string): Promise<void> {
  for (const scenario of scenariosOf(seed)) {
    const difference = differenceOf(await prepared.run(variables, scenario));
    if (difference)
      throw new Error([scenario.seed, prepared.query, JSON.stringify(variables), difference].join('\n'));
    compared.runs += 1;
  }
  compared.operations += 1;
  if (prepared.by === 'compiled') compared.compiled += 1;
}

function scenariosOf(seed: string): Scenario[] {
  return [
    { seed: `${seed} calm`, nulls: 0, failures: 0, distorts: false },
    { seed: `${seed} calm and plain`, nulls: 0.05, failures: 0, distorts: false, plain: true },
    { seed: `${seed} plain and failing`, nulls: 0.1, failures: 0.05, distorts: false, plain: true },
    { seed: `${seed} with nulls`, nulls: 0.25, failures: 0, distorts: false },
    { seed: `${seed} failing`, nulls: 0.1, failures: 0.08, distorts: false },
    { seed: `${seed} failing again`, nulls: 0.05, failures: 0.03, distorts: false },
    { seed: `${seed} distorted`, nulls: 0.05, failures: 0.02, distorts: true },
    { seed: `${seed} distorted again`, nulls: 0.05, failures: 0.02, distorts: true },
  ];
}
