import type { ApolloServer } from '@apollo/server';
import { Router, type Express, type RequestHandler } from 'express';
import type { Store } from 'express-rate-limit';
import { authenticated, optionalAuth } from '#server/auth/authenticate.ts';
import { PlatformError } from '#server/errors.ts';
import { answerOf } from '#server/graphql/apollo-answer.ts';
import type { Introspection } from '#server/graphql/introspection.ts';
import { acceptableAnswer } from '#server/graphql/media-types.ts';
import { factsOf } from '#server/graphql/graph-facts.ts';
import { sendAnswer } from '#server/graphql/send-answer.ts';
import { graphqlErrorHandler } from '#server/graphql/subgraph-endpoint.ts';
import { otherMethods } from '#server/http/allowed-methods.ts';
import { jsonBody } from '#server/http/read-body.ts';
import { contextOf } from '#server/http/request-context.ts';
import { rateCounter, rateLimited, type RateLimit } from '#server/rest/rate-limit.ts';
import { httpContext, type GatewayContext } from '../context/gateway-context.ts';
import { anonymousLimitsOf } from '../limits/anonymous-limits.ts';
import { operationChecks } from '../limits/operation-checks.ts';
import type { ContractGraphs } from '../operations/contract-graphs.ts';
import type { PersistedOperations } from '../operations/persisted-operations.ts';
import { acceptableAnswerOrStream, streamedAnswer } from '../streams/streamed-operations.ts';
import { graphServer } from './apollo-server.ts';
import type { GraphEndpointOptions } from './graph-endpoint.ts';
import {
  checkIdempotencyKey,
  countBatch,
  explorerForBrowsers,
  jsonOrUpload,
  negotiatedError,
} from './middleware.ts';
import { multipartRequests } from './uploads.ts';

/** The limit for the graph as a whole. The services limit single fields in addition. */
export const RATE_LIMIT: RateLimit = { name: 'graphql', perMinute: 600, by: 'caller' };
const MAX_FILES = 10;

interface RouteOptions {
  path: string;
  server: ApolloServer<GatewayContext>;
  persisted: PersistedOperations;
  /** Absent: operations are not counted. */
  store: Store | undefined;
  /** Answers subscriptions; empty if the graph has none. */
  streaming: RequestHandler[];
}

/** The checks before the execution, in the order of docs/gateway.md. */
export function mountRoutes(
  app: Express,
  { path, server, persisted, store, streaming }: RouteOptions,
  { settings, verifier, router }: GraphEndpointOptions,
): void {
  app.get(path, explorerForBrowsers);
  app.options(path, otherMethods(['GET', 'POST']));
  const route = Router();
  route.use(
    notStored,
    authenticated(optionalAuth, verifier),
    ...(store ? [rateLimited({ ...RATE_LIMIT, store })] : []),
    streaming.length > 0 ? acceptableAnswerOrStream : acceptableAnswer,
    jsonOrUpload,
    multipartRequests({ maxFileBytes: settings.uploadMaxMebibytes * 1024 * 1024, maxFiles: MAX_FILES }),
    jsonBody(),
    checkIdempotencyKey,
    operationChecks(persisted, anonymousLimitsOf(settings).anonymousLimits),
    ...(store ? [countBatch(rateCounter(RATE_LIMIT, store))] : []),
    ...streaming,
    answerBy(server, router.headerNames),
    negotiatedError,
    graphqlErrorHandler,
  );
  // Express mounts a router at all paths below, too.
  app.use(path, (req, res, next) => (req.path === '/' ? route(req, res, next) : next()));
}

const answerBy =
  (server: ApolloServer<GatewayContext>, headerNames: readonly string[]): RequestHandler =>
  async (req, res) => {
    const { viewer, origin } = contextOf(res);
    const context = httpContext(origin, viewer, req.headers, headerNames);
    res.once('close', () => {
      if (!res.writableFinished) context.client?.leave();
    });
    const answer = await answerOf(server, req, context);
    const { kind = 'read', attributes } = context.executed?.operation ?? {};
    contextOf(res).graph = { ...factsOf(kind, answer.body), attributes };
    sendAnswer(req, res, streamedAnswer(req, answer));
  };

/** By default no cache may store a response, because it belongs to one caller. */
const notStored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

/**
 * Serves each contract at `/graphql/<name>`, with the checks of the full graph. Contracts have no subscriptions.
 * @returns their servers
 */
export async function mountContracts(
  app: Express,
  contracts: ContractGraphs,
  { introspection, ...checks }: Pick<RouteOptions, 'persisted' | 'store'> & { introspection: Introspection },
  options: GraphEndpointOptions,
): Promise<ApolloServer<GatewayContext>[]> {
  const servers: ApolloServer<GatewayContext>[] = [];
  for (const [name, graph] of contracts.byName) {
    const server = graphServer({
      graph,
      introspection,
      refuseSubscription: hasNoSubscriptions,
      log: options.log,
    });
    await server.start();
    servers.push(server);
    mountRoutes(app, { ...checks, path: `/graphql/${name}`, server, streaming: [] }, options);
  }
  return servers;
}

const hasNoSubscriptions = (): PlatformError =>
  new PlatformError(
    'VALIDATION_FAILED',
    'Expected a query or a mutation, got a subscription: the contract has no subscriptions.',
  );
