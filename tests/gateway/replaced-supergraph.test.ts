import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GraphQLError, validate, parse } from 'graphql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { OPERATION_LIMITS } from '#server/graphql/limits.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import type { GatewayContext } from '../../gateway/context/gateway-context.ts';
import { AnswersInParts } from '../../gateway/defer/answers-in-parts.ts';
import { OPERATION_RULES } from '../../gateway/defer/defer-rules.ts';
import { CostBudgets } from '../../gateway/limits/cost-budgets.ts';
import { MemorySpentCosts } from '../../gateway/limits/spent-costs.ts';
import { DocumentCache } from '../../gateway/operations/document-cache.ts';
import { Graph } from '../../gateway/operations/graph.ts';
import { MemoryWrites } from '../../gateway/writes/writes.ts';
import { socketOperations } from '../../gateway/websocket/socket-operations.ts';
import { composed } from '../support/graph-doubles/composed-graph.ts';

const WITH_BIO = composed({ users: 'type Query { me: User } type User { id: ID bio: String }' });
const WITHOUT_BIO = composed({ users: 'type Query { me: User } type User { id: ID }' });

const log = createLogger('gateway', 'silent');
const metrics = createMetrics('gateway');
let graph: Graph;
beforeAll(async () => {
  graph = new Graph({
    connect: (name, url) => ({
      name,
      url,
      send: async () => ({ data: { me: { id: '1', bio: 'Lifts.' } } }),
      close: async () => undefined,
    }),
    costLimit: 1_000,
    anonymousLimits: OPERATION_LIMITS,
    anonymousCostLimit: 1_000,
    assumedListSize: 10,
    maxListSize: 100,
    operationCacheSize: 100,
    writes: new MemoryWrites(),
    formatError: (error) => error.toJSON(),
  });
  await graph.load(WITH_BIO);
});
afterAll(() => graph.close());

it.each(['{ me { id bio } }', '{ me { id ... @defer { bio } } }'])(
  'an operation of a socket is refused if its supergraph is replaced while it waits for the rate limit: %s',
  async (text) => {
    await graph.load(WITH_BIO);
    const operations = socketOperations({
      graph,
      documents: new DocumentCache(() => graph.current.loaded.apiSchema),
      introspection: 'on',
      count: undefined,
      metrics,
      answersInParts: new AnswersInParts({
        metrics: createMetrics('gateway'),
        formatError: (error) => error.toJSON(),
      }),
      tracing: undefined,
      usage: undefined,
      budgets: new CostBudgets({}, new MemorySpentCosts(), createMetrics('gateway')),
      log,
    });
    const document = parse(text);
    expect(validate(graph.current.loaded.apiSchema, document, OPERATION_RULES)).toEqual([]);
    const operation = { document, operationName: undefined, variables: {} };
    const context = { requestId: 'r', viewer: ANONYMOUS } as GatewayContext;
    await graph.load(WITHOUT_BIO);
    expect(await operations.executeInParts(operation, context)).toBeUndefined();
    const { errors } = await operations.execute(operation, context);
    expect(errors).toEqual([expect.any(GraphQLError)]);
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('Cannot query field "bio" on type "User".'),
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
    // It is not prepared either: the other doors do not validate a prepared operation again.
    expect(graph.current.operations.known(text, undefined)).toBeUndefined();
  },
);
