import { readFile } from 'node:fs/promises';
import type { Express, RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import { PlatformError } from '../errors.ts';
import { checkRepresentations } from '../graphql/entities.ts';
import { attemptFields } from '../graphql/keyed-mutations.ts';
import { limitFields } from '../graphql/limit-fields.ts';
import { OperationChecks } from '../graphql/operation-checks.ts';
import { mountGraphEndpoint, subgraphSchema, type GraphContext } from '../graphql/subgraph-endpoint.ts';
import { rateLimited } from '../rest/rate-limit.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { generalLimitOf, type DoorHost } from './doors.ts';

/** The graph of a started service, behind HTTP and the socket. */
export interface Graph {
  schema: GraphQLSchema;
  checks: OperationChecks;
  /** The context of the resolvers for one unit of work. */
  contextOf(unit: UnitOfWork, services: Record<string, object>): GraphContext<object>;
  stop(): Promise<void>;
}

/** Builds the schema from `schema/<name>.graphql` and the graph doors, and serves it at `POST /graphql`. */
export async function openGraph(app: Express, host: DoorHost): Promise<Graph> {
  const { schema, checks } = await executableSchema(host);
  const contextOf: Graph['contextOf'] = (unit, services) => ({
    ...services,
    viewer: unit.viewer,
    address: unit.origin.address,
  });
  app.all('/graphql', postOnly);
  const stop = await mountGraphEndpoint(app, {
    schema,
    verifier: host.verifier,
    log: host.rules.base.log,
    checks,
    rateLimiter: generalLimiter(host),
    begin(res) {
      const { unit, services, ...keyed } = host.rules.begin(res);
      return { context: contextOf(unit, services), ...keyed };
    },
  });
  return { schema, checks, contextOf, stop };
}

async function executableSchema({
  subgraph,
  options: { settings },
  rateLimits,
}: DoorHost): Promise<Pick<Graph, 'schema' | 'checks'>> {
  const sdl = await readFile(new URL(`../../schema/${subgraph.name}.graphql`, import.meta.url), 'utf8');
  const schema = subgraphSchema(sdl, subgraph.graphql);
  const introspection = settings.introspection ?? (settings.demo ? 'on' : 'admins');
  const checks = new OperationChecks(schema, sdl, introspection);
  checkRepresentations(schema);
  if (settings.rateLimits) limitFields(schema, subgraph.graphqlRateLimits ?? {}, rateLimits);
  attemptFields(schema);
  return { schema, checks };
}

function generalLimiter(host: DoorHost): RequestHandler | undefined {
  const perMinute = generalLimitOf(host);
  if (perMinute === undefined) return undefined;
  return rateLimited({ name: 'general', perMinute, by: 'caller', store: host.rateLimits('graphql') });
}

/** GET and the explorer are for the gateway's graph; a service's own subgraph accepts only POST. */
const postOnly: RequestHandler = (req, res, next) => {
  if (req.method === 'POST') return next();
  res.set('Allow', 'POST, OPTIONS');
  throw new PlatformError(
    'METHOD_NOT_ALLOWED',
    `${req.method} is not supported at this path; allowed: POST.`,
  );
};
