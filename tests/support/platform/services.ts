import type { AnySubgraph } from '#server/define-subgraph.ts';
import { settingsOf } from '#server/run.ts';
import type { ServerSettings, ServiceName } from '#server/settings.ts';
import type { StartOptions } from '#server/start/options.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import type { ServiceDatabases } from './service-databases.ts';

/** Services in this process, each at a port of its own. */
export interface Services {
  isRunning(service: ServiceName): boolean;
  /** Throws if the service is not part of the test. */
  running(service: ServiceName): RunningSubgraph;
  /** Starts a service, and writes its address into the environment and into the settings of the others. */
  start(service: ServiceName, port?: number): Promise<void>;
  /** Stops a service, and starts it again on the same database and port. */
  restart(service: ServiceName): Promise<void>;
  /** Starts a replica of the service, or of another version of it, on the same database. It runs in this process. */
  replica(service: ServiceName, version?: AnySubgraph, options?: ReplicaOptions): Promise<RunningSubgraph>;
  stop(): Promise<void>;
}

/** The start options of a replica that differ from those of the service. */
type ReplicaOptions = Pick<StartOptions, 'log' | 'usesFastPath'> & {
  settings?: Partial<Pick<ServerSettings, 'rateLimits' | 'dataDir'>>;
};

/** @param env the environment of the services; each start also writes the URL of the service into it, such as `GYM_URL` */
export function services(env: Record<string, string>, databases: ServiceDatabases): Services {
  const running = new Map<ServiceName, RunningSubgraph>();
  const replicas: RunningSubgraph[] = [];
  const settingsOfStarted: ServerSettings[] = [];

  async function run(
    service: ServiceName,
    subgraph: AnySubgraph,
    port: number,
    { settings: own, ...options }: ReplicaOptions = {},
  ): Promise<RunningSubgraph> {
    const { settings } = settingsOf(subgraph, env);
    Object.assign(settings, own);
    settingsOfStarted.push(settings);
    const database = await databases.open(service, subgraph, settings);
    return startSubgraph(subgraph, {
      settings,
      port,
      databaseServer: database?.server,
      databaseName: database?.name,
      verifyAnswers: true,
      ...options,
    });
  }

  const self: Services = {
    isRunning: (service) => running.has(service),
    running(service) {
      const found = running.get(service);
      if (!found) throw new Error(`${service} is not started in this test`);
      return found;
    },
    async start(service, port = 0) {
      const started = await run(service, await subgraphOf(service), port);
      running.set(service, started);
      env[`${service.toUpperCase()}_URL`] = started.url;
      // Services that started earlier must find it at this address, too.
      for (const settings of settingsOfStarted) settings[`${service}Url`] = started.url;
    },
    async restart(service) {
      const before = self.running(service);
      await before.stop();
      await self.start(service, before.port);
    },
    async replica(service, version, options) {
      const replica = await run(service, version ?? (await subgraphOf(service)), 0, options);
      replicas.push(replica);
      return replica;
    },
    async stop() {
      await Promise.all([...running.values(), ...replicas].map((service) => service.stop()));
    },
  };
  return self;
}

/** Imports only the named service: importing all six would slow down every test file. */
async function subgraphOf(service: ServiceName): Promise<AnySubgraph> {
  const module = (await import(`../../../subgraphs/${service}/subgraph.ts`)) as Record<string, AnySubgraph>;
  const subgraph = module[service];
  if (!subgraph) throw new Error(`subgraphs/${service}/subgraph.ts does not export "${service}"`);
  return subgraph;
}
