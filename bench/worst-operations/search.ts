import { readFileSync } from 'node:fs';
import { Supergraph } from '@apollo/federation-internals';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import {
  ANONYMOUS_LIMITS,
  ANONYMOUS_SUBGRAPH_LIMITS,
  exceededLimit,
  OPERATION_LIMITS,
  sizeOf,
  SUBGRAPH_LIMITS,
} from '#server/graphql/limits.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { SUPPORTED_FEATURES } from '../../gateway/supergraph/load-graph.ts';
import { Chance } from './chance.ts';
import { type Answer, type Caller, type MeasuredPlatform, type Operation } from './measured-platform.ts';
import {
  operationOf,
  RandomOperations,
  type TargetGraph,
  type RandomOperation,
} from './random-operations.ts';

export interface SearchOptions {
  readonly caller: Caller;
  readonly seed: number;
  readonly seconds: number;
}

interface Found {
  readonly random: RandomOperation;
  readonly operation: Operation;
  readonly answer: Answer;
}

/** The number of costly operations that are kept, and changed further. */
const KEPT = 30;
/** The number of changes of the same operation among them, so that one costly operation does not replace all others. */
const KEPT_OF_LINEAGE = 3;
/** The number of operations that are sent before the first is measured, because V8 has not compiled the code yet. */
const WARM_UP = 60;
const SHOWN = 10;
/** Each operation that is shown is sent three times more; its figure is the median. */
const ROUNDS = 3;

/**
 * Searches for costly operations among random ones and random changes of the most costly ones so far. The same seed makes
 * the same random numbers, but which operations are kept and changed depends on the measured times.
 */
export async function searched(
  platform: MeasuredPlatform,
  { caller, seed, seconds }: SearchOptions,
): Promise<void> {
  const chance = new Chance(seed);
  const operations = new RandomOperations(graphs(), chance);
  for (let i = 0; i < WARM_UP; i += 1)
    await platform.send(operationOf(operations.create(), `W${seed}x${i}x${Date.now()}`), caller);
  let worst: Found[] = [];
  const counts = { sent: 0, tooLarge: 0, refused: 0, invalid: 0 };
  const mark = (): string => `S${seed}x${(counts.sent += 1)}x${Date.now()}`;
  for (const until = performance.now() + seconds * 1_000; performance.now() < until;) {
    const random =
      worst.length > 5 && chance.isHit(0.8)
        ? operations.change(chance.oneOf(worst).random)
        : operations.create();
    const operation = operationOf(random, mark());
    if (isTooLarge(operation, caller)) {
      counts.tooLarge += 1;
      continue;
    }
    let answer = await platform.send(operation, caller);
    const least = worst.length < KEPT ? 0 : (worst.at(-1)?.answer.millis ?? 0);
    // The shorter of two times counts, because a pause of the machine or of the garbage collector is not the operation's
    // cost.
    if (answer.millis > least) {
      const again = await platform.send(operationOf(random, mark()), caller);
      if (again.millis < answer.millis) answer = again;
    }
    if (answer.status >= 500) console.log(`status ${answer.status}: ${JSON.stringify(operation)}`);
    if (answer.code === 'OPERATION_LIMIT_EXCEEDED') counts.refused += 1;
    if (answer.code === 'GRAPHQL_VALIDATION_FAILED') counts.invalid += 1;
    worst = kept([...worst, { random, operation, answer }]);
  }
  console.log(`${caller}, seed ${seed}: ${JSON.stringify(counts)}`);
  const medians: Found[] = [];
  for (const { random } of worst.slice(0, 2 * SHOWN)) {
    const rounds: Found[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const operation = operationOf(random, mark());
      rounds.push({ random, operation, answer: await platform.send(operation, caller) });
    }
    const middle = kept(rounds)[Math.floor(ROUNDS / 2)];
    if (middle) medians.push(middle);
  }
  for (const { operation, answer } of kept(medians).slice(0, SHOWN))
    console.log(
      `${String(answer.millis).padStart(5)} ms  ${operation.service ?? 'gateway'} (${answer.status} ${answer.code}, ${answer.bytes} bytes)  ${operation.query}`,
    );
}

function kept(found: readonly Found[]): Found[] {
  const lineages = new Map<number, number>();
  return found
    .toSorted((a, b) => b.answer.millis - a.answer.millis)
    .filter(({ random: { lineage } }) => {
      lineages.set(lineage, (lineages.get(lineage) ?? 0) + 1);
      return (lineages.get(lineage) ?? 0) <= KEPT_OF_LINEAGE;
    })
    .slice(0, KEPT);
}

/**
 * Whether the text exceeds a limit. Such operations are not sent, because their refusal costs almost nothing. The limit of
 * the operation's cost is checked by the servers only.
 */
function isTooLarge({ query, service }: Operation, caller: Caller): boolean {
  const limits =
    caller === 'anonymous'
      ? service
        ? ANONYMOUS_SUBGRAPH_LIMITS
        : ANONYMOUS_LIMITS
      : service
        ? SUBGRAPH_LIMITS
        : OPERATION_LIMITS;
  return query.length > limits.characters || exceededLimit(sizeOf(parse(query)), limits) !== undefined;
}

/** All graphs, the gateway's first. */
function graphs(): TargetGraph[] {
  const textOf = (name: string): string =>
    readFileSync(new URL(`../../schema/${name}.graphql`, import.meta.url), 'utf8');
  const supergraph = Supergraph.build(textOf('supergraph'), { supportedFeatures: SUPPORTED_FEATURES });
  return [
    { schema: supergraph.apiSchema().toGraphQLJSSchema(), service: undefined },
    ...SERVICE_NAMES.map((service) => ({ schema: buildSubgraphSchema(parse(textOf(service))), service })),
  ];
}
