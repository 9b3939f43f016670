import type { IncomingMessage } from 'node:http';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { ServiceTokens } from './auth/service-tokens.ts';
import type { TokenChecks, TokenVerifier } from './auth/token-verifier.ts';
import type { DatabaseDeclaration } from './database/database.ts';
import type { DatabaseServer } from './database/database-server.ts';
import type { EventLog, EventShapes } from './events/event-log.ts';
import type { FeatureSource, ModuleOfRules } from './features.ts';
import type { FileStorage } from './files/file-storage.ts';
import type { ResolverMap } from './graphql/subgraph-endpoint.ts';
import type { AnyJob } from './jobs/job.ts';
import type { Logger } from './observability/logger.ts';
import type { Span } from './observability/tracing.ts';
import type { Metrics } from './observability/metrics.ts';
import type { ApiExamples } from './rest/examples.ts';
import type { IdempotencyStore } from './rest/idempotency.ts';
import type { RateLimit } from './rest/rate-limit.ts';
import type { RestRoute } from './rest/route.ts';
import type { RetentionRule } from './retention/retention.ts';
import type { ServerSettings, ServiceName } from './settings.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The parts of a running service that every service has. They are created before the service's own resources. */
export interface ServiceBase<Settings> {
  settings: ServerSettings & Settings;
  log: Logger;
  metrics: Metrics;
  /** The service's uploaded files. @throws Error if the service does not declare `storesFiles` */
  readonly files: FileStorage;
  /** The service's public events. @throws Error if the service declares none */
  readonly events: EventLog;
  /** Undefined if the service declares no database, or if a setting makes it keep its state in memory. */
  orm: MikroORM | undefined;
  /** The address of the ORM's database, for code that needs a connection of its own. */
  database: { server: DatabaseServer; name: string } | undefined;
  /** The token with which this service calls other services as itself. */
  serviceTokens: ServiceTokens;
  /** A unit of work outside any request, for workers, demo data and events. */
  unitOf(viewer?: UnitOfWork['viewer']): UnitOfWork;
}

/** A socket endpoint beside `/graphql`. */
export interface SocketDoor<Services, Resources> {
  path: string;
  /** Supported sub-protocols, the preferred one first. */
  protocols: readonly string[];
  /** The length of the longest frame, in bytes. Default 64 KiB. */
  maxPayloadBytes?: number;
  /** Called for every socket. The `Origin` has been checked; the door itself authenticates the caller. */
  onConnection(socket: WebSocket, request: IncomingMessage, host: SocketHost<Services, Resources>): void;
  /** Called at a graceful stop, before the sockets are closed with 1001. */
  onStop?(resources: Resources): void;
}

export interface SocketHost<Services, Resources> {
  resources: Resources;
  verifier: TokenVerifier;
  log: Logger;
  /** Rule objects for one frame. */
  servicesOf(viewer: UnitOfWork['viewer'], authorization?: string): Services;
  /** Begins the span of a frame; undefined if it is not sampled. @param event the frame's event */
  begin(event: string): Span | undefined;
  /**
   * Measures an event that reports a change; to be called before its message is written.
   * @returns the function to call when the message is written
   */
  sending(event: string): () => void;
}

/** One file of a page for a browser. */
export interface BrowserPage {
  /** A file name's ending, e.g. `html`, `js`, `css`. */
  type: string;
  text: string;
  /** Replaces the server's own headers, e.g. another `Content-Security-Policy`. */
  headers?: Readonly<Record<string, string>>;
}

/** The declaration of one subgraph: everything that it consists of, before anything runs. */
interface SubgraphDeclaration<Settings extends object, Resources extends object, Services extends object> {
  name: ServiceName;
  title: string;
  description: string;
  /** The service's own environment variables; see `readSettings`. */
  settings: z.ZodObject<z.ZodRawShape> & z.ZodType<Settings>;
  database?: DatabaseDeclaration;
  /** Whether the service stores uploaded files. Only then it has `ServiceBase.files`. */
  storesFiles?: true;
  /**
   * The public events that the service writes (`recordEvents`), and the shape of the data of each. Its database then needs
   * `eventEntities` and `eventMigrations`, its routes `eventsRest`, and its retention rules `eventRetention`.
   */
  events?: EventShapes;
  /**
   * The kinds of changes that triggers of the service's database note (`noteChanges`); the schema names them in
   * `@evictedBy`. Default: none, and gateways cache nothing of the service for longer than `@cacheControl` says.
   */
  changeKinds?: readonly string[];
  /** Whether the service delivers the events of all services by webhooks. Its OpenAPI document then has the types of all events. */
  deliversWebhooks?: true;
  /** Whether a setting replaces the database (wizard's WIZARD_STORAGE=memory). */
  withoutDatabase?(settings: ServerSettings & Settings): boolean;
  /**
   * Hubs, key rings, clients, workers: everything that outlives a request. `dispose` is called at the stop, before the database
   * closes.
   */
  resources(base: ServiceBase<Settings>): Promise<Resources & { dispose?(): Promise<void> }>;
  /** Creates the rules for one unit of work. */
  services(unit: UnitOfWork, resources: Resources, settings: ServerSettings & Settings): Services;
  /** How access tokens are checked. Default: with the keys that identity publishes. Identity itself uses its own. */
  tokenChecks?(resources: Resources): TokenChecks;
  /** The rules that belong to a module that a gym can switch off; its members are then refused at every door. */
  features?: ModuleOfRules<Services>;
  /** The source of the switches. Default: the gym service. */
  featureSource?(base: ServiceBase<Settings>): FeatureSource;
  graphql: readonly ResolverMap[];
  /** Rate limits of single fields, e.g. `Mutation.login`; a limit with the name of a route's limit counts together with it. */
  graphqlRateLimits?: Readonly<Record<string, RateLimit>>;
  rest: readonly RestRoute<Services>[];
  /** A recorded request and answer of each REST operation, for the API reference. */
  examples: ApiExamples;
  sockets?: readonly SocketDoor<Services, Resources>[];
  /** What does not work now although the service continues, with the consequences, for `GET /health/ready`. */
  losses?(resources: Resources): Record<string, string>;
  /**
   * Stores the answers to requests with an `Idempotency-Key` if the service uses no database. Default: in memory; then a
   * restart loses them. With a database they are committed with the request's writes.
   */
  idempotency?(resources: Resources): IdempotencyStore | undefined;
  /** Work that is done later, or again and again; see `jobOf`. Without a database, only scheduled jobs run. */
  jobs?: readonly AnyJob<Resources>[];
  /**
   * Which rows are removed when they are old, by an hourly job. The stored answers to requests with an `Idempotency-Key` are
   * removed in every service, without a rule here.
   */
  retention?(resources: Resources): readonly RetentionRule[];
  /** Fills in demo data. It is called at every start with demo data on, and is idempotent. */
  demo?(
    services: Services,
    unit: UnitOfWork,
    resources: Resources,
    settings: Pick<ServerSettings, 'demoHistory'>,
  ): Promise<void>;
  /** Additional JSON documents to serve, e.g. `/asyncapi.json`. */
  documents?: Record<string, object>;
  /** Pages for a browser by path, with their scripts and styles. Relative URLs in them work under the gateway's prefix, too. */
  pages?(settings: ServerSettings & Settings): Record<string, BrowserPage>;
}

/** Any subgraph, for code that starts several. */
// oxlint-disable-next-line no-explicit-any -- the three types depend on each other inside each declaration only
export type AnySubgraph = SubgraphDeclaration<any, any, any>;

/** Declares a subgraph; the types of its settings, resources and services follow from the parts. */
export const defineSubgraph = <Settings extends object, Resources extends object, Services extends object>(
  declaration: SubgraphDeclaration<Settings, Resources, Services>,
): SubgraphDeclaration<Settings, Resources, Services> => declaration;
