import { execute, getOperationAST, parse, validate, type GraphQLSchema } from 'graphql';
import { compiledQuery } from '../../../server/graphql/executor/compiled-query.ts';
import type { JsonResult } from '../../../server/graphql/executor/execution.ts';
import { randomFrom } from '../graph-doubles/random.ts';
import { Turns } from './turns.ts';

/** The context of made-up resolvers. */
export interface MadeUpContext {
  readonly seed: string;
  /** From 0, without faults, to 1: how often values are wrong and resolvers fail. */
  readonly faultRate: number;
  readonly turns: Turns;
  /** Each call of a resolver, with its path and arguments. */
  readonly calls: string[];
}

export interface ExecutedOperation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string | undefined;
}

/** What an executor did. */
export interface Executed {
  readonly data: string;
  readonly errors: readonly string[];
  readonly calls: readonly string[];
}

export interface BothExecuted {
  readonly ours: Executed;
  readonly graphqlJs: Executed;
}

/**
 * Executes a valid operation by graphql-js and by our executor. Returns undefined if it is not valid, and `not compiled` if our
 * executor leaves it to graphql-js.
 * @param onStart called before each of the two
 */
export async function bothExecutions(
  schema: GraphQLSchema,
  { query, variables = {}, operationName }: ExecutedOperation,
  seed: string,
  onStart: (by: 'graphql-js' | 'compiled') => void = () => undefined,
): Promise<BothExecuted | 'not compiled' | undefined> {
  const document = parse(query);
  const operation = getOperationAST(document, operationName);
  if (!operation || validate(schema, document).length > 0) return undefined;
  const prepared = compiledQuery(schema, document, operation)?.prepare(variables);
  if (!prepared) return 'not compiled';
  onStart('graphql-js');
  const graphqlJs = await executed(seed, async (contextValue) => {
    const result = await execute({
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue,
    });
    const data = JSON.stringify(result.data);
    return { data, errors: result.errors ?? [] };
  });
  onStart('compiled');
  const ours = await executed(seed, (contextValue) => prepared.execute(contextValue));
  return { ours, graphqlJs };
}

type Run = (context: MadeUpContext) => JsonResult | Promise<JsonResult>;

async function executed(seed: string, run: Run): Promise<Executed> {
  const faultRate = randomFrom(seed).pick([0, 0.3, 1]);
  const context = { seed, faultRate, turns: new Turns(seed), calls: [] };
  const { data, errors } = await context.turns.until(run(context));
  return {
    data,
    // The log of a service and its translation of errors read these properties.
    errors: errors.map((error) =>
      JSON.stringify([
        error,
        String(error.originalError),
        error.originalError?.constructor.name,
        error.nodes?.length,
      ]),
    ),
    calls: context.calls,
  };
}

/** How our executor differs from graphql-js; undefined if it does not. */
export function differenceOf({ ours, graphqlJs }: BothExecuted): string | undefined {
  for (const part of ['data', 'errors', 'calls'] as const) {
    const [own, reference] = [JSON.stringify(ours[part]), JSON.stringify(graphqlJs[part])];
    if (own !== reference) return `${part}\n  ours       ${own}\n  graphql-js ${reference}`;
  }
  return undefined;
}
