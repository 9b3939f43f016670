import { serviceTokens } from '../auth/service-tokens.ts';
import { ANONYMOUS, type Viewer } from '../auth/viewer.ts';
import type { AnySubgraph, ServiceBase } from '../define-subgraph.ts';
import { EventLog } from '../events/event-log.ts';
import { Features, featuresByGymService, withSwitches } from '../features.ts';
import { openFileStorage } from '../files/open-file-storage.ts';
import { inSavepointOf, type InSavepoint } from '../graphql/keyed-mutations.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { IdempotencyStore } from '../rest/idempotency.ts';
import { databaseIdempotency, keyedRequestLimiter } from '../rest/idempotency.database.ts';
import { memoryIdempotency } from '../rest/idempotency.memory.ts';
import { NO_ORIGIN, UnitOfWork, type Origin } from '../unit-of-work.ts';
import type { ServiceDatabase } from './database.ts';
import type { StartOptions } from './options.ts';

/** The unit of work of one request, and the objects that belong to it. */
interface RequestWork {
  unit: UnitOfWork;
  services: Record<string, object>;
  /** The store for the request's `Idempotency-Key`. */
  idempotency: IdempotencyStore;
  /** Runs one field of a keyed mutation so that it can be rolled back alone; undefined without a database. */
  inSavepoint: InSavepoint | undefined;
}

/** The rules of a started service, and its resources. */
export interface Rules {
  base: ServiceBase<object>;
  resources: { dispose?(): Promise<void> };
  unitOf(viewer?: Viewer, origin?: Origin): UnitOfWork;
  /** Creates the rules for one unit of work. If a gym can switch their module off, each call checks the switch first. */
  servicesOf(unit: UnitOfWork): Record<string, object>;
  /** Begins a unit of work for a request. */
  begin(context: Pick<RequestContext, 'viewer' | 'origin'>): RequestWork;
  /** Undefined if the service declares no events. */
  events: EventLog | undefined;
  /** Calls the service's `demo`, if the settings ask for demo data. */
  addDemoData(): Promise<void>;
  stop(): Promise<void>;
}

interface RulesOptions {
  database: ServiceDatabase | undefined;
  log: Logger;
  metrics: Metrics;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
}

/** Opens the service's own resources, and returns the functions that create units of work and their rules. */
export async function openRules(
  subgraph: AnySubgraph,
  { settings, verifyAnswers }: StartOptions,
  { database, log, metrics, tracing }: RulesOptions,
): Promise<Rules> {
  const events = await openEvents(subgraph, { database, log, metrics, verifies: verifyAnswers ?? false });
  const unitOf = (viewer: Viewer = ANONYMOUS, origin: Origin = NO_ORIGIN) =>
    new UnitOfWork(database?.orm, viewer, log, origin, { outbox: events, tracing });
  const files = subgraph.storesFiles ? await openFileStorage(settings, subgraph.name, log) : undefined;
  const base: ServiceBase<object> = {
    settings,
    log,
    metrics,
    get files() {
      if (!files) throw new Error(`The ${subgraph.name} service does not declare storesFiles.`);
      return files;
    },
    get events() {
      if (!events) throw new Error(`The ${subgraph.name} service declares no events.`);
      return events;
    },
    orm: database?.orm,
    database: database?.address,
    serviceTokens: serviceTokens(subgraph.name, settings),
    unitOf: (viewer) => unitOf(viewer),
  };
  const resources = await subgraph.resources(base).catch(async (error: unknown) => {
    await events?.stop();
    throw error;
  });
  const features = new Features(subgraph.featureSource?.(base) ?? featuresByGymService(settings.gymUrl), log);
  const servicesOf = (unit: UnitOfWork) =>
    withSwitches(subgraph.services(unit, resources, settings), subgraph.features ?? {}, (module) =>
      features.require(unit.viewer, module),
    );
  const withoutDatabase = subgraph.idempotency?.(resources) ?? memoryIdempotency();
  const limiter = keyedRequestLimiter(settings.databasePoolMax);
  return {
    base,
    resources,
    events,
    unitOf,
    servicesOf,
    begin({ viewer, origin }) {
      const unit = unitOf(viewer, origin);
      return {
        unit,
        services: servicesOf(unit),
        idempotency: database ? databaseIdempotency(unit, limiter) : withoutDatabase,
        inSavepoint: database && inSavepointOf(unit),
      };
    },
    async addDemoData() {
      if (!settings.demo || !subgraph.demo) return;
      const unit = unitOf();
      await subgraph.demo(subgraph.services(unit, resources, settings), unit, resources, settings);
    },
    async stop() {
      await resources.dispose?.();
      await events?.stop();
      files?.close();
    },
  };
}

async function openEvents(
  { name, events: shapes }: AnySubgraph,
  { database, verifies, ...host }: Omit<RulesOptions, 'tracing'> & { verifies: boolean },
): Promise<EventLog | undefined> {
  if (!shapes || !database) return undefined;
  const { orm, address } = database;
  return EventLog.open({ service: name, orm, address, shapes, verifies, ...host });
}
