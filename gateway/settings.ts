import { z } from 'zod';
import { readSettings, port, serverSettings } from '#server/settings.ts';
import { withDemoDefault, type Environment } from '#server/run.ts';

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
});
export type GatewaySettings = z.output<typeof gatewaySettings>;

/** @throws SettingsError */
export const gatewaySettingsOf = (env: Environment): GatewaySettings =>
  readSettings(gatewaySettings, withDemoDefault(env));
