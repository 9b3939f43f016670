import { z } from 'zod';
import {
  port,
  readSettings,
  SERVICE_NAMES,
  serverSettings,
  toggle,
  withDemoDefaults,
  type Environment,
  type ServiceName,
} from '#server/settings.ts';

/** The longest time limit of a request to a subgraph; that of an upload is `UPLOAD_TIME_FACTOR` times as long. */
export const MAX_SUBGRAPH_TIMEOUT_MILLIS = 600_000; // 10 min

const timeLimit = z.coerce.number('expected milliseconds').int().min(1).max(MAX_SUBGRAPH_TIMEOUT_MILLIS);

/** `gymTimeoutMillis` and so on: the time limit of a query to that service, instead of `subgraphTimeoutMillis`. */
const timeLimitsOfServices = Object.fromEntries(
  SERVICE_NAMES.map((name) => [`${name}TimeoutMillis`, timeLimit.optional()]),
) as Record<`${ServiceName}TimeoutMillis`, z.ZodOptional<typeof timeLimit>>;

/** The gateway's settings, in addition to those of every server. */
export const gatewaySettings = serverSettings.extend({
  gatewayPort: port(4000),
  /** The file of the supergraph, or `compose` to compose it from the running subgraphs. Default: the platform's own, whose subgraphs are at the `<SERVICE>_URL` settings. */
  supergraph: z.string().optional(),
  /** How often the SDL of the running subgraphs is read if `supergraph` is `compose`, in milliseconds. */
  supergraphPollMillis: z.coerce
    .number('expected milliseconds')
    .int()
    .min(100)
    .max(3_600_000)
    .default(10_000), // 10 s
  /** The time limit of a query to a subgraph, in milliseconds; then the fields of the other subgraphs are returned. */
  subgraphTimeoutMillis: timeLimit.default(2_500), // 2.5 s
  ...timeLimitsOfServices,
  /**
   * The time limit of a mutation at a subgraph, in milliseconds; six times as long for uploads. A forwarded
   * REST request is ended after six times this limit without a byte of it or of its response.
   */
  subgraphMutationTimeoutMillis: timeLimit.default(10_000), // 10 s
  /** The maximum number of connections to one subgraph. */
  subgraphConnections: z.coerce
    .number('expected a number of connections')
    .int()
    .min(1)
    .max(10_000)
    .default(128),
  /** Whether equal concurrent queries of one caller are sent to a subgraph once. */
  shareInFlight: toggle(true),
  /** The largest file of an upload through the graph, in MiB; a service may accept less. */
  uploadMaxMebibytes: z.coerce.number('expected MiB').int().min(1).max(4_096).default(128),
  /** The maximum cost of one operation, computed from `@cost` and `@listSize`. */
  costLimit: z.coerce.number('expected a cost').int().min(1).default(5_000),
  /** The assumed size of a list without `@listSize`, for the cost of an operation. */
  assumedListSize: z.coerce.number('expected a number of elements').int().min(0).max(1_000).default(10),
  /** The maximum number of prepared operations that are cached. */
  operationCacheSize: z.coerce
    .number('expected a number of operations')
    .int()
    .min(1)
    .max(100_000)
    .default(1_000),
  /** The file of the operator's rules for single subgraphs, callers and contracts; see `gateway/router-file`. */
  routerFile: z.string().optional(),
  /** The registered operations, which clients may send by id: a manifest, or a folder of manifests and documents. */
  registeredOperations: z.string().optional(),
  /** The folder of the usage report: the operations, fields and clients of each day. Default: no report. */
  usageReport: z.string().optional(),
  /** Whether operations that are not registered are refused. */
  registeredOperationsOnly: toggle(false),
  /** Whether the replicas of the gateway share a cache in Redis; without REDIS_URL there is none. */
  sharedCache: toggle(true),
  /** The maximum size of the shared cache in Redis, in MiB. */
  sharedCacheMebibytes: z.coerce.number('expected MiB').int().min(1).max(65_536).default(64),
  /** The maximum size of each replica's local layer of the shared cache, in MiB. */
  sharedCacheLocalMebibytes: z.coerce.number('expected MiB').int().min(1).max(4_096).default(32),
  /** How long after its time a cached value is still returned while it is fetched again, in seconds. */
  sharedCacheStaleSeconds: z.coerce.number('expected seconds').int().min(0).max(86_400).default(0),
  /** The folder of the operations that agents may call as tools. Default: the platform's own, if the supergraph is, too. */
  agentOperations: z.string().optional(),
});
export type GatewaySettings = z.output<typeof gatewaySettings>;

/** @throws SettingsError */
export const gatewaySettingsOf = (env: Environment): GatewaySettings =>
  readSettings(gatewaySettings, withDemoDefaults(env));
