import { readFile } from 'node:fs/promises';
import type { RequestHandler, Response } from 'express';
import type { MikroORM } from '@mikro-orm/postgresql';
import { viewerOf } from './auth/authenticate.ts';
import { EndedSessions } from './auth/ended-sessions.ts';
import { JwksKeys } from './auth/jwks-keys.ts';
import { serviceSecretOf } from './auth/service-secret.ts';
import { serviceTokens } from './auth/service-tokens.ts';
import { TokenVerifier } from './auth/token-verifier.ts';
import { ANONYMOUS, type Viewer } from './auth/viewer.ts';
import { openDatabase } from './database/database.ts';
import type { DatabaseServer } from './database/database-server.ts';
import { watchPool } from './database/pool-watch.ts';
import type { AnySubgraph, ServiceBase, SocketHost } from './define-subgraph.ts';
import { PlatformError } from './errors.ts';
import { Features, featuresByGymService, switchable, type FeatureModule } from './features.ts';
import { diskStorage } from './files/file-storage.ts';
import { checkRepresentations } from './graphql/entities.ts';
import { attemptFields, attemptIn } from './graphql/keyed-mutations.ts';
import { limitFields } from './graphql/limit-fields.ts';
import { OperationChecks } from './graphql/operation-checks.ts';
import { mountGraphEndpoint, subgraphSchema, type GraphContext } from './graphql/subgraph-endpoint.ts';
import { serveSubscriptions } from './graphql/subscriptions.ts';
import { forwardingProofOf } from './http/forwarding-proof.ts';
import { createApp } from './http/create-app.ts';
import { close, httpServerFor, listen } from './http/listen.ts';
import { contextOf } from './http/request-context.ts';
import { RequestOrigins } from './http/request-origin.ts';
import { createSockets } from './http/sockets.ts';
import { mountHealth } from './observability/health.ts';
import { createLogger, type Logger } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import { mountMetrics, openMetricsPort } from './observability/metrics-endpoint.ts';
import { mountApiPages } from './rest/api-pages.ts';
import { databaseIdempotency, idempotencyRetention, keyedTurns } from './rest/idempotency.database.ts';
import { memoryIdempotency } from './rest/idempotency.memory.ts';
import { mountRoutes, unknownPath } from './rest/mount-routes.ts';
import { openApiDocument } from './rest/openapi.ts';
import { problemHandler } from './rest/problem.ts';
import { rateLimited } from './rest/rate-limit.ts';
import { openRateLimitStores } from './rest/rate-limit-store.ts';
import { startRetention } from './retention/retention.ts';
import type { ServerSettings } from './settings.ts';
import { stopInOrder } from './stop-in-order.ts';
import { NO_ORIGIN, UnitOfWork, type Origin } from './unit-of-work.ts';

export interface StartOptions {
  /** 0 lets the system choose. */
  port: number;
  settings: ServerSettings & Record<string, unknown>;
  /** The server of its database; required if it declares one. */
  databaseServer?: DatabaseServer | undefined;
  /** Replaces the declared name; for tests. */
  databaseName?: string | undefined;
  log?: Logger;
  /** Checks every REST answer against its declared shape; for tests. */
  verifyAnswers?: boolean;
}

/** A subgraph that has started. */
export interface RunningSubgraph {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  /**
   * Finishes running requests, then closes sockets, resources and database. It always ends: what does not close in time is
   * left for the end of the process.
   */
  stop(): Promise<void>;
}

const REQUESTS_PER_MINUTE = 600;

/** Starts a declared subgraph: runs its migrations, creates demo data, opens its doors. */
export async function startSubgraph(subgraph: AnySubgraph, options: StartOptions): Promise<RunningSubgraph> {
  const { settings } = options;
  const log = options.log ?? createLogger(subgraph.name, settings.logLevel);
  const metrics = createMetrics(subgraph.name);
  const orm = await ormOf(subgraph, options, log);
  const unitOf = (viewer: Viewer = ANONYMOUS, origin: Origin = NO_ORIGIN) =>
    new UnitOfWork(orm, viewer, log, origin);
  const base: ServiceBase<object> = {
    settings,
    log,
    metrics,
    files: diskStorage(settings.dataDir, subgraph.name),
    orm,
    database: subgraph.database &&
      orm &&
      options.databaseServer && {
        server: options.databaseServer,
        name: options.databaseName ?? subgraph.database.name,
      },
    serviceTokens: serviceTokens(subgraph.name, settings),
    unitOf: (viewer) => unitOf(viewer),
  };
  const resources = await subgraph.resources(base);
  const features = new Features(subgraph.featureSource?.(base) ?? featuresByGymService(settings.gymUrl), log);
  const servicesOf = (unit: UnitOfWork) =>
    switchableServices(subgraph, subgraph.services(unit, resources, settings), features, unit.viewer);
  if (settings.demo && subgraph.demo) {
    const unit = unitOf();
    await subgraph.demo(subgraph.services(unit, resources, settings), unit, resources);
  }

  const endedSessions = subgraph.tokenChecks
    ? undefined
    : new EndedSessions({ identityUrl: settings.identityUrl, tokens: base.serviceTokens, log });
  const verifier = new TokenVerifier({
    issuer: settings.jwtIssuer,
    audience: settings.jwtAudience,
    ...(subgraph.tokenChecks?.(resources) ?? {
      keys: new JwksKeys(`${settings.identityUrl}/.well-known/jwks.json`),
      isRevoked: endedSessions?.isRevoked,
    }),
  });
  const rateLimitStores = await openRateLimitStores(subgraph.name, settings, log);
  const generalLimitPerMinute = settings.rateLimits ? REQUESTS_PER_MINUTE : undefined;
  let stopping = false;

  const origins = new RequestOrigins(
    settings.trustedProxies,
    forwardingProofOf(await serviceSecretOf(settings)),
  );
  const app = createApp(settings, { origins, log, metrics });
  const poolWatch = orm && base.database && (await watchPool(orm, base.database));
  mountHealth(app, {
    checks: {
      ...(orm && { database: () => orm.em.fork().execute('select 1') }),
      ...subgraph.health?.(resources),
    },
    isStopping: () => stopping,
    isStuck: async () => (await poolWatch?.isStuck()) ?? false,
    losses: () => rateLimitStores.losses(),
  });
  mountMetrics(app, metrics, settings);
  mountApiPages(app, subgraph.title, openApiDocument(subgraph, subgraph.rest));
  for (const [path, document] of Object.entries(subgraph.documents ?? {}))
    app.get(path, (_req, res) => void res.json(document));
  for (const [path, page] of Object.entries(subgraph.pages?.(settings) ?? {}))
    app.get(
      path,
      (_req, res) =>
        void res
          .set(page.headers ?? {})
          .type(page.type)
          .send(page.text),
    );

  const sdl = await readFile(new URL(`../schema/${subgraph.name}.graphql`, import.meta.url), 'utf8');
  const schema = subgraphSchema(sdl, subgraph.graphql);
  const checks = new OperationChecks(
    schema,
    sdl,
    settings.introspection ?? (settings.demo ? 'on' : 'admins'),
  );
  checkRepresentations(schema);
  const graphContext = (unit: UnitOfWork): GraphContext<object> => ({
    ...servicesOf(unit),
    viewer: unit.viewer,
    address: unit.origin.address,
  });
  if (settings.rateLimits) limitFields(schema, subgraph.graphqlRateLimits ?? {}, rateLimitStores);
  attemptFields(schema);
  const inMemory = memoryIdempotency();
  const turns = keyedTurns();
  const idempotencyOf = (unit: UnitOfWork) => (orm ? databaseIdempotency(unit, turns) : inMemory);
  const unitOfResponse = (res: Response) => unitOf(contextOf(res).viewer, contextOf(res).origin);
  app.all('/graphql', postOnly);
  const stopGraph = await mountGraphEndpoint(app, {
    schema,
    verifier,
    log,
    checks,
    rateLimiter:
      generalLimitPerMinute === undefined
        ? undefined
        : rateLimited({
            name: 'general',
            perMinute: generalLimitPerMinute,
            by: 'caller',
            store: rateLimitStores('graphql'),
          }),
    begin: (res) => {
      const unit = unitOfResponse(res);
      return {
        context: graphContext(unit),
        idempotency: idempotencyOf(unit),
        attempt: orm && attemptIn(unit),
      };
    },
  });

  mountRoutes(app, subgraph.rest, {
    verifier,
    begin: (res) => {
      const unit = unitOfResponse(res);
      return { services: servicesOf(unit), idempotency: idempotencyOf(unit) };
    },
    generalLimitPerMinute,
    rateLimitStore: rateLimitStores,
    verifyAnswers: options.verifyAnswers ?? false,
  });
  app.use(unknownPath);
  app.use(problemHandler);

  const server = httpServerFor(app, settings, origins);
  const sockets = createSockets(server, { settings, metrics, origins });
  const stopSubscriptions = schema.getSubscriptionType()
    ? serveSubscriptions(sockets.endpoint('/graphql', ['graphql-transport-ws'], 256 * 1024), {
        schema,
        checks,
        verifier,
        settings,
        log,
        contextFor: async (authorization, request) =>
          graphContext(
            unitOf(await viewerOf(authorization, verifier), { ...origins.of(request), authorization }),
          ),
      })
    : undefined;
  for (const door of subgraph.sockets ?? []) {
    sockets
      .endpoint(door.path, door.protocols, door.maxPayloadBytes ?? 64 * 1024)
      .on('connection', (socket, request) => {
        const origin = origins.of(request);
        const host: SocketHost<unknown, object> = {
          resources,
          verifier,
          log,
          servicesOf: (viewer, authorization) => servicesOf(unitOf(viewer, { ...origin, authorization })),
        };
        door.onConnection(socket, request, host);
      });
  }

  const closeMetricsPort = await openMetricsPort(metrics, settings);
  const port = await listen(server, options.port, settings.host, `${subgraph.name.toUpperCase()}_PORT`);
  log.info({ port }, 'ready');
  const retention = startRetention({
    rules: [...(orm ? [idempotencyRetention] : []), ...(subgraph.retention?.(resources) ?? [])],
    settings,
    unitOf: () => unitOf(),
    hasDatabase: orm !== undefined,
    metrics,
    log,
  });

  return {
    name: subgraph.name,
    port,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (stopping) return;
      stopping = true;
      poolWatch?.stop();
      await stopInOrder(
        [
          {
            name: 'sockets',
            async run() {
              for (const door of subgraph.sockets ?? []) door.onStop?.(resources);
              await stopSubscriptions?.();
              await sockets.close();
            },
          },
          {
            name: 'requests',
            run: () => close(server, settings.stopGracePeriodMillis),
            withinMillis: settings.stopGracePeriodMillis + 1_000,
          },
          { name: 'sessions', run: () => endedSessions?.stop() },
          { name: 'graph', run: stopGraph },
          { name: 'retention', run: () => retention.stop() },
          { name: 'resources', run: () => resources.dispose?.() },
          { name: 'rate limits', run: () => rateLimitStores.close() },
          // Waits until no connection is in use and the server has closed each of them.
          { name: 'database', run: () => orm?.close(true) },
          { name: 'metrics', run: closeMetricsPort },
        ],
        log,
      );
      log.info('stopped');
    },
  };
}

/** New rule objects; those of modules that a gym can switch off check the switch first. */
function switchableServices(
  subgraph: AnySubgraph,
  services: Record<string, object>,
  features: Features,
  viewer: Viewer,
): Record<string, object> {
  for (const [name, module] of Object.entries(subgraph.features ?? {}) as [string, FeatureModule][])
    services[name] = switchable(services[name] ?? {}, module, features, viewer);
  return services;
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

async function ormOf(
  subgraph: AnySubgraph,
  options: StartOptions,
  log: Logger,
): Promise<MikroORM | undefined> {
  if (!subgraph.database || subgraph.withoutDatabase?.(options.settings)) return undefined;
  if (!options.databaseServer)
    throw new Error(
      `${subgraph.title} needs a database: set DATABASE_URL, or start it by main.ts, which starts an embedded one.`,
    );
  return openDatabase(subgraph.database, {
    server: options.databaseServer,
    ...(options.databaseName && { name: options.databaseName }),
    log: (message) => log.info(message),
  });
}
