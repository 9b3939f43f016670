import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { Express, RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import { PlatformError } from '../errors.ts';
import { addRepresentationChecks } from '../graphql/entities.ts';
import { FastPath } from '../graphql/fast-path/fast-path.ts';
import { KnownQueries } from '../graphql/fast-path/known-queries.ts';
import { convertIdArguments } from '../graphql/id-arguments.ts';
import { resolveKeyedFieldsInSavepoints } from '../graphql/keyed-mutations.ts';
import { limitFields } from '../graphql/limit-fields.ts';
import { OperationChecks } from '../graphql/operation-checks.ts';
import { mountGraphEndpoint, subgraphSchema, type GraphContext } from '../graphql/subgraph-endpoint.ts';
import { otherMethods } from '../http/allowed-methods.ts';
import { contextOf as requestContextOf } from '../http/request-context.ts';
import { rateCounter, rateLimited } from '../rest/rate-limit.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { generalLimitOf, type DoorHost } from './doors.ts';

/** The graph of a started service, behind HTTP and the socket. */
export interface Graph {
  /**
   * Handles all requests that the REST dispatcher passes on: known queries on the fast path if `usesFastPath`, all others through
   * Express.
   */
  listener: RequestListener;
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
  const { rules, verifier, origins, rateLimits } = host;
  const { log, metrics } = rules.base;
  const queries = new KnownQueries(schema);
  const perMinute = generalLimitOf(host);
  const limit = perMinute === undefined ? undefined : { name: 'general', perMinute, by: 'caller' as const };
  const store = rateLimits('graphql');
  app.all('/graphql', postOnly);
  const stop = await mountGraphEndpoint(app, {
    schema,
    verifier,
    log,
    checks,
    queries,
    rateLimiter: limit && rateLimited({ ...limit, store }),
    begin(res) {
      const { unit, services, ...keyed } = rules.begin(requestContextOf(res));
      return { context: contextOf(unit, services), ...keyed };
    },
  });
  const { settings, usesFastPath = true } = host.options;
  const fastPath = new FastPath({
    app,
    queries,
    checks,
    verifier,
    origins,
    log,
    metrics,
    settings,
    count: limit && rateCounter(limit, store),
    contextOf(viewer, origin) {
      const unit = rules.unitOf(viewer, origin);
      return contextOf(unit, rules.servicesOf(unit));
    },
  });
  return { listener: usesFastPath ? fastPath.listener : app, schema, checks, contextOf, stop };
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
  convertIdArguments(schema);
  addRepresentationChecks(schema);
  if (settings.rateLimits) limitFields(schema, subgraph.graphqlRateLimits ?? {}, rateLimits);
  resolveKeyedFieldsInSavepoints(schema);
  return { schema, checks };
}

const otherThanPost = otherMethods(['POST']);

/** GET and the explorer are for the gateway's graph; a service's own subgraph accepts only POST. */
const postOnly: RequestHandler = (req, res, next) => {
  if (req.method === 'POST') return next();
  if (req.method === 'OPTIONS') return otherThanPost(req, res, next);
  res.set('Allow', 'POST, OPTIONS');
  throw new PlatformError(
    'METHOD_NOT_ALLOWED',
    `${req.method} is not supported at this path; allowed: POST.`,
  );
};
