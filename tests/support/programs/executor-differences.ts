/**
 * Executes operations by graphql-js and by our executor, and prints the numbers of executed operations as JSON, or the
 * first difference. It is a program of its own, because graphql-js leaves rejections unhandled: if a list has become
 * null, graphql-js ignores the other items of the list, and Jest would fail a test for their rejections. Our executor must
 * leave no rejection unhandled.
 */
import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { getOperationAST, parse, type GraphQLSchema } from 'graphql';
import { addRepresentationChecks } from '../../../server/graphql/entities.ts';
import { subgraphSchema } from '../../../server/graphql/subgraph-endpoint.ts';
import { SERVICE_NAMES } from '../../../server/settings.ts';
import { bothExecutions, differenceOf, type ExecutedOperation } from '../executor-doubles/both-executions.ts';
import { makeUpResolvers, makeUpTypeChecks } from '../executor-doubles/made-up-resolvers.ts';
import {
  committedGraph,
  entityTypesIn,
  sentOperations,
  type SentOperation,
} from '../executor-doubles/sent-operations.ts';
import { HARD_SDLS } from '../graph-doubles/hard-graph.ts';
import { madeUpOperation, madeUpVariables } from '../graph-doubles/made-up-operations.ts';
import { writtenOperations } from '../graph-doubles/written-operations.ts';

/** What was executed without a difference. */
export interface Summary {
  /** Left to graphql-js: mutations, subscriptions, introspection, and operations whose variables have wrong types. */
  notCompiled: number;
  compiled: number;
  withErrors: number;
  unhandledRejections: number;
}

const CASES = Number(process.env.EXECUTOR_CASES);
const SEED = process.env.EXECUTOR_SEED ?? 'first';
const summary: Summary = { notCompiled: 0, compiled: 0, withErrors: 0, unhandledRejections: 0 };
let running = '';

process.on('unhandledRejection', () => {
  if (running === 'compiled') summary.unhandledRejections += 1;
});

const read = (name: string): string =>
  readFileSync(new URL(`../../../schema/${name}.graphql`, import.meta.url), 'utf8');

const own = new Map<string, GraphQLSchema>();
for (const name of SERVICE_NAMES) {
  const schema = makeUpResolvers(subgraphSchema(read(name), []));
  addRepresentationChecks(schema);
  own.set(name, schema);
}
if (process.argv[2] === 'sent') await compareSent();
else await compareMadeUp();
process.stdout.write(`${JSON.stringify(summary)}\n`);

/** Operations that the gateway sends for those in our tests and documents. */
async function compareSent(): Promise<void> {
  const sent = sentOperations(committedGraph(), writtenOperations());
  for (let number = 0; number < CASES; number += 1) {
    const operation = sent[number % sent.length];
    const schema = own.get(operation?.service ?? '');
    if (!operation || !schema) throw new Error('The gateway sends no operation.');
    const seed = `${SEED} ${number}`;
    await compare(schema, { ...operation, variables: variablesOf(schema, operation, seed) }, seed);
  }
}

/** Made-up operations of our schemas, and of schemas with features that are rare in ours. */
async function compareMadeUp(): Promise<void> {
  const hard = new Map(
    Object.entries(HARD_SDLS).map(([name, sdl]) => [name, makeUpResolvers(buildSubgraphSchema(parse(sdl)))]),
  );
  for (const [name, types] of [
    ['people', ['Robot', 'Person', 'Item']],
    ['catalog', ['Film', 'Song', 'Book', 'Cell']],
  ] as const) {
    const schema = hard.get(name);
    if (schema) makeUpTypeChecks(schema, types);
  }
  const schemas = [...own, ...hard];
  for (let number = 0; number < CASES; number += 1) {
    const [name, schema] = schemas[number % schemas.length] ?? [];
    if (!schema) throw new Error('There is no schema.');
    const seed = `${SEED} ${name} ${number}`;
    await compare(schema, madeUpOperation(schema, seed), seed);
  }
}

async function compare(schema: GraphQLSchema, operation: ExecutedOperation, seed: string): Promise<void> {
  const both = await bothExecutions(schema, operation, seed, (by) => void (running = by));
  running = '';
  if (!both) return;
  if (both === 'not compiled') return void (summary.notCompiled += 1);
  summary.compiled += 1;
  if (both.ours.errors.length > 0) summary.withErrors += 1;
  const difference = differenceOf(both);
  if (!difference) return;
  process.stdout.write(
    [seed, operation.query, JSON.stringify(operation.variables), difference, ''].join('\n'),
  );
  process.exit(1);
}

function variablesOf(
  schema: GraphQLSchema,
  { query, operationName }: SentOperation,
  seed: string,
): Record<string, unknown> {
  const operation = getOperationAST(parse(query), operationName);
  if (!operation) throw new Error(`There is no operation ${operationName}.`);
  const variables = madeUpVariables(schema, operation, seed);
  if (!query.includes('$representations')) return variables;
  const names = entityTypesIn(query);
  const representations = Array.from({ length: 1 + (seed.length % 4) }, (_, index) => ({
    __typename: names[index % names.length],
    id: `id-${index}`,
  }));
  return { ...variables, representations };
}
