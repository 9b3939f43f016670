import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { getOperationAST, OperationTypeNode, parse } from 'graphql';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import {
  committedGraph,
  entityTypesIn,
  sentOperations,
  type SentOperation,
} from '../support/executor-doubles/sent-operations.ts';
import { madeUpVariables } from '../support/graph-doubles/made-up-operations.ts';
import { randomFrom, type Random } from '../support/graph-doubles/random.ts';
import { writtenOperations } from '../support/graph-doubles/written-operations.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { postGraph, type RawResponse } from '../support/raw-request.ts';

/** The number of requests; `FAST_PATH_CASES=5000` sends more. */
const CASES = Number(process.env.FAST_PATH_CASES ?? 200);

let platform: TestPlatform;
let ids: string[] = [];
let tokens: readonly (string | undefined)[] = [];
const graph = committedGraph();
const queries = sentOperations(graph, writtenOperations()).filter(
  ({ query }) => getOperationAST(parse(query))?.operation === OperationTypeNode.QUERY,
);

beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES });
  tokens = [undefined, await platform.demo('maya@iron.test'), await platform.demo('admin@iron.test')];
  const known = await Promise.all(
    (
      [
        ['identity', '{ me { id gymId } }'],
        ['content', '{ workouts(first: 3) { nodes { id } } exercises(first: 3) { nodes { id } } }'],
        ['gym', '{ locations { id } challenges { id } posts(first: 3) { nodes { id } } }'],
      ] as const
    ).map(([service, query]) => platform.graph(service, query, {}, { token: tokens[2] ?? '' })),
  );
  ids = [...new Set(JSON.stringify(known).match(/[0-9a-f]{8}-[0-9a-f-]{27}/g))];
});
afterAll(() => platform.stop());

it('the fast path of a service answers the queries of the gateway as Express does, for anonymous callers, members and GYM_ADMINs', async () => {
  const statuses = new Map<number, number>();
  for (let number = 0; number < CASES; number += 1) {
    const operation = queries[number % queries.length] as SentOperation;
    const token = tokens[number % tokens.length];
    const url = platform.url(operation.service as ServiceName);
    const { query, operationName } = operation;
    const body = { query, operationName, variables: variablesOf(operation, randomFrom(`${number}`)) };
    const headers = { 'x-request-id': 'mine', ...(token && { authorization: `Bearer ${token}` }) };
    // Express handles this spelling of the media type. Afterwards the query is known to the fast path.
    const byExpress = await postGraph(url, body, {
      ...headers,
      'content-type': 'application/json;charset=utf-8',
    });
    const byFastPath = await postGraph(url, body, headers);
    expect({ body, answer: comparable(byFastPath) }).toEqual({ body, answer: comparable(byExpress) });
    statuses.set(byFastPath.status, (statuses.get(byFastPath.status) ?? 0) + 1);
  }
  expect(statuses.get(200)).toBeGreaterThan(CASES / 2);
  const { body: metrics } = await platform.rest('content', 'GET', '/metrics');
  // All services of the test share this process.
  const known = Number(/^cache_entries\{cache="compiled_queries"\} (\d+)$/m.exec(String(metrics))?.[1]);
  expect(known).toBeGreaterThan(Math.min(CASES, queries.length) / 2);
});

/** Removes what may differ between equal answers: headers about time and framing, times, and check-in codes. */
function comparable({ status, headers, body }: RawResponse) {
  const { date: _date, 'content-length': _length, 'transfer-encoding': _encoding, ...others } = headers;
  return {
    status,
    headers: others,
    body: body
      .replace(/"(exportedAt|generatedAt|since|next)":"[^"]*"/g, '"$1":"a time"')
      .replace(/"code":"FIT1\.[^"]*"(?:,"expiresAt":"[^"]*")?/g, '"code":"a code"')
      .replace(/"myQr":\{"expiresAt":"[^"]*"/g, '"myQr":{"expiresAt":"a time"'),
  };
}

/** Random variables: existing and other ids, and representations with them. */
function variablesOf({ query, operationName }: SentOperation, random: Random): Record<string, unknown> {
  const operation = getOperationAST(parse(query), operationName);
  if (!operation) throw new Error('The operation is not in its document.');
  const anId = () => random.pick([...ids, '01900000-0000-7000-8000-00000000dead', 'not-an-id']);
  const made = madeUpVariables(
    graph.apiSchema,
    withoutRepresentations(operation),
    String(random.below(1_000)),
  );
  const variables: Record<string, unknown> = Object.fromEntries(
    Object.entries(made).map(([name, value]) => [
      name,
      typeof value === 'string' && /id/i.test(name) ? anId() : value,
    ]),
  );
  if (!query.includes('$representations')) return variables;
  const names = entityTypesIn(query);
  const representations = Array.from({ length: 1 + random.below(6) }, () => ({
    __typename: random.pick(names),
    id: anId(),
    gymId: random.pick(ids),
  }));
  return { ...variables, representations };
}

type Operation = NonNullable<ReturnType<typeof getOperationAST>>;

/** Removes the variable of the representations, because `_Any` is not a type of the supergraph. */
const withoutRepresentations = (operation: Operation): Operation => ({
  ...operation,
  variableDefinitions: (operation.variableDefinitions ?? []).filter(
    ({ variable }) => variable.name.value !== 'representations',
  ),
});
