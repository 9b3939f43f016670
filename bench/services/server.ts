/**
 * One variant of a service, `server.ts VARIANT PORT`. It has the schema of the content service, and rows in memory instead
 * of a database, so that only the handling of a request in the service is measured. The variants:
 *
 * - `baseline`: a node:http server that parses the body and sends a text that was made before
 * - `express`: Express and Apollo Server
 * - `graphql-js`: the fast path, with graphql-js as its executor
 * - `compiled`: the fast path with the compiled executor, as in the services
 */
import { createServer, type RequestListener } from 'node:http';
import { readFileSync } from 'node:fs';
import { MemoryStore } from 'express-rate-limit';
import { execute, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { TokenVerifier } from '../../server/auth/token-verifier.ts';
import { connectionOf } from '../../server/graphql/connection.ts';
import { addRepresentationChecks } from '../../server/graphql/entities.ts';
import type { CompiledQuery } from '../../server/graphql/executor/compiled-query.ts';
import { FastPath } from '../../server/graphql/fast-path/fast-path.ts';
import { KnownQueries } from '../../server/graphql/fast-path/known-queries.ts';
import { OperationChecks } from '../../server/graphql/operation-checks.ts';
import { mountGraphEndpoint, subgraphSchema } from '../../server/graphql/subgraph-endpoint.ts';
import { createApp } from '../../server/http/create-app.ts';
import { httpServerFor } from '../../server/http/listen.ts';
import { contextOf } from '../../server/http/request-context.ts';
import { RequestOrigins } from '../../server/http/request-origin.ts';
import { createLogger } from '../../server/observability/logger.ts';
import { createMetrics } from '../../server/observability/metrics.ts';
import { rateCounter, rateLimited } from '../../server/rest/rate-limit.ts';

const [variant = '', port = ''] = process.argv.slice(2);
const { PUBLIC_KEY = '', ANSWERS = '{}' } = process.env;

const rows = Array.from({ length: 50 }, (_, index) => ({
  id: `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  gymId: null,
  title: `Push day ${index}`,
  description: 'Chest, shoulders and triceps',
  difficulty: 'Intermediate',
  category: 'strength',
  targetMuscles: ['chest', 'triceps'],
  durationMinutes: 45,
  version: 1,
  createdAt: new Date(1_700_000_000_000 + index * 1000),
  updatedAt: new Date(1_700_000_000_000),
}));

const listener = variant === 'baseline' ? baseline() : await service();
const server =
  variant === 'baseline'
    ? createServer(listener)
    : httpServerFor(listener, { rateLimits: false, socketsPerAddress: 100 }, origins());
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));

function origins(): RequestOrigins {
  return new RequestOrigins([]);
}

function baseline(): RequestListener {
  const answers = JSON.parse(ANSWERS) as Record<string, string>;
  return (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { operationName } = JSON.parse(Buffer.concat(chunks).toString()) as { operationName: string };
      const text = Buffer.from(answers[operationName] ?? '');
      res.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': String(text.length),
      });
      res.end(text);
    });
  };
}

async function service(): Promise<RequestListener> {
  const sdl = readFileSync(new URL('../../schema/content.graphql', import.meta.url), 'utf8');
  const schema = subgraphSchema(sdl, [
    {
      Query: {
        workouts: async () =>
          connectionOf({ items: rows, hasNextPage: true, hasPreviousPage: false, cursorOf: ({ id }) => id }),
      },
      WorkoutRoutine: { __resolveReference: async ({ id }: { id: string }) => ({ ...rows[0], id }) },
    },
  ]);
  addRepresentationChecks(schema);
  const settings = { corsOrigins: [], demo: false } as never; // the only settings that are read here
  const log = createLogger('content', 'info');
  const metrics = createMetrics('content');
  const checks = new OperationChecks(schema, sdl, 'on');
  const verifier = new TokenVerifier({
    issuer: 'i',
    audience: 'a',
    keys: { get: async () => PUBLIC_KEY },
  });
  const limit = { name: 'general', perMinute: 1e9, by: 'caller' } as const;
  const store = new MemoryStore();
  const queries = new KnownQueries(schema, variant === 'graphql-js' ? byGraphqlJs : undefined);
  const app = createApp(settings, { service: 'bench', origins: origins(), log, metrics });
  await mountGraphEndpoint(app, {
    schema,
    verifier,
    log,
    checks,
    queries,
    rateLimiter: rateLimited({ ...limit, store }),
    begin: (res) => ({
      context: { viewer: contextOf(res).viewer, address: contextOf(res).address },
      idempotency: undefined as never, // only mutations use it
      inSavepoint: undefined,
    }),
  });
  if (variant === 'express') return app;
  return new FastPath({
    app,
    queries,
    checks,
    verifier,
    origins: origins(),
    log,
    metrics,
    settings,
    count: rateCounter(limit, store),
    contextOf: (viewer, { address }) => ({ viewer, address }),
  }).listener;
}

/** A replacement of `compiledQuery` in which graphql-js executes the query. */
function byGraphqlJs(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledQuery {
  return {
    maxSelections: 1,
    prepare: (variableValues) => ({
      async execute(contextValue) {
        const operationName = operation.name?.value;
        const result = await execute({ schema, document, operationName, contextValue, variableValues });
        return { data: JSON.stringify(result.data), errors: result.errors ?? [] };
      },
    }),
  };
}
