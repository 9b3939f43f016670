import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Kind, OperationTypeNode, parse } from 'graphql';
import { SERVICE_NAMES } from '#server/settings.ts';
import { BothExecutors, type Prepared } from '../support/graph-doubles/both-executors.ts';
import { differenceOf } from '../support/graph-doubles/differences.ts';
import { HARD_SDLS } from '../support/graph-doubles/hard-graph.ts';
import { madeUpOperation, madeUpVariables } from '../support/graph-doubles/made-up-operations.ts';
import type { Scenario } from '../support/graph-doubles/made-up-subgraph.ts';
import { writtenOperations } from '../support/graph-doubles/written-operations.ts';

/** `EXECUTION_CASES=20000` tries that many operations on each graph, `EXECUTION_SEED=...` others. */
const CASES = Number(process.env.EXECUTION_CASES ?? 200);
const SEED = process.env.EXECUTION_SEED ?? 'first';

const OWN_SDLS = Object.fromEntries(
  SERVICE_NAMES.map((name) => [
    name,
    readFileSync(new URL(`../../schema/${name}.graphql`, import.meta.url), 'utf8'),
  ]),
);

const scenariosOf = (seed: string): Scenario[] => [
  { seed: `${seed} calm`, nulls: 0, failures: 0, distorts: false },
  { seed: `${seed} calm and plain`, nulls: 0.05, failures: 0, distorts: false, plain: true },
  { seed: `${seed} plain and failing`, nulls: 0.1, failures: 0.05, distorts: false, plain: true },
  { seed: `${seed} with nulls`, nulls: 0.25, failures: 0, distorts: false },
  { seed: `${seed} failing`, nulls: 0.1, failures: 0.08, distorts: false },
  { seed: `${seed} failing again`, nulls: 0.05, failures: 0.03, distorts: false },
  { seed: `${seed} distorted`, nulls: 0.05, failures: 0.02, distorts: true },
  { seed: `${seed} distorted again`, nulls: 0.05, failures: 0.02, distorts: true },
];

/** The number of runs with a difference; the first one is printed in full. */
async function compare(
  prepared: Prepared,
  variables: Record<string, unknown>,
  seed: string,
): Promise<number> {
  const scenarios = scenariosOf(seed);
  for (const scenario of scenarios) {
    const difference = differenceOf(await prepared.run(variables, scenario));
    if (difference)
      throw new Error([scenario.seed, prepared.query, JSON.stringify(variables), difference].join('\n'));
  }
  return scenarios.length;
}

describe('the compiled executor answers as @apollo/gateway does', () => {
  it.each([
    ['our supergraph', OWN_SDLS],
    ['a supergraph of what is rare in ours', HARD_SDLS],
  ])(
    'on made-up operations over %s, whatever the subgraphs answer',
    async (_name, sdls) => {
      const executors = new BothExecutors(sdls);
      let [runs, compiled] = [0, 0];
      for (let number = 0; number < CASES; number += 1) {
        const seed = `${SEED} ${number}`;
        const { query, variables } = madeUpOperation(executors.graph.apiSchema, seed);
        const prepared = executors.prepare(query);
        if (!prepared) continue;
        if (prepared.by === 'compiled') compiled += 1;
        runs += await compare(prepared, variables, seed);
      }
      expect(compiled).toBeGreaterThan(CASES * 0.9);
      expect(runs).toBeGreaterThan(CASES * 7);
    },
    60_000 + CASES * 100,
  );

  it('on every operation in the tests and documents', async () => {
    const executors = new BothExecutors(OWN_SDLS);
    let compared = 0;
    for (const query of writtenOperations()) {
      for (const definition of parse(query).definitions) {
        if (
          definition.kind !== Kind.OPERATION_DEFINITION ||
          definition.operation === OperationTypeNode.SUBSCRIPTION
        )
          continue;
        const prepared = executors.prepare(query, definition.name?.value);
        if (!prepared) continue;
        const variables = madeUpVariables(executors.graph.apiSchema, definition, query);
        await compare(prepared, variables, query);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });
});
