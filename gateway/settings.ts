import { z } from 'zod';
import {
  port,
  readSettings,
  serverSettings,
  toggle,
  withDemoDefaults,
  type Environment,
} from '#server/settings.ts';

/** What the gateway reads besides the settings of every server. */
export const gatewaySettings = serverSettings.extend({
  gatewayPort: port(4000),
  /** The composed schema's file, or `compose` for one composed from the running subgraphs. Default: the platform's own, whose subgraphs are found by the `<SERVICE>_URL` settings. */
  supergraph: z.string().optional(),
  /** How often the running subgraphs are asked for their SDL where `supergraph` is `compose`, in milliseconds. */
  supergraphPollMillis: z.coerce
    .number('expected milliseconds')
    .int()
    .min(100)
    .max(3_600_000)
    .default(10_000), // 10 s
  /** How long a subgraph may take for one request, in milliseconds. */
  subgraphTimeoutMillis: z.coerce.number('expected milliseconds').int().min(1).max(600_000).default(10_000), // 10 s
  /** Most connections to one subgraph. */
  subgraphConnections: z.coerce
    .number('expected a number of connections')
    .int()
    .min(1)
    .max(10_000)
    .default(128),
  /** Whether equal queries of one caller that are under way at the same time are sent to a subgraph once. */
  shareInFlight: toggle(true),
  /** Largest file of an upload through the graph, in MiB; a service may take less. */
  uploadMaxMebibytes: z.coerce.number('expected MiB').int().min(1).max(4_096).default(128),
  /** Most that one operation may cost, counted by `@cost` and `@listSize`. */
  costLimit: z.coerce.number('expected a cost').int().min(1).default(5_000),
  /** Elements that a list counts for where no `@listSize` says more. */
  assumedListSize: z.coerce.number('expected a number of elements').int().min(0).max(1_000).default(10),
  /** How many operations are kept parsed, planned and compiled. */
  operationCacheSize: z.coerce
    .number('expected a number of operations')
    .int()
    .min(1)
    .max(100_000)
    .default(1_000),
  /** A manifest of registered operations, which clients then name by their id alone. */
  registeredOperations: z.string().optional(),
  /** Whether only those are answered. */
  registeredOperationsOnly: toggle(false),
});
export type GatewaySettings = z.output<typeof gatewaySettings>;

/** @throws SettingsError */
export const gatewaySettingsOf = (env: Environment): GatewaySettings =>
  readSettings(gatewaySettings, withDemoDefaults(env));
