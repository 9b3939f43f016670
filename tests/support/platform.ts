import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { serviceTokens } from '#server/auth/service-tokens.ts';
import type { DatabaseServer } from '#server/database/database-server.ts';
import { readSettings, serverSettings, SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import type { RunningGateway } from '../../gateway/start-gateway.ts';
import { httpClient, type HttpClient } from './platform/http-client.ts';
import { onThisMachine } from './slow-machine.ts';
import { serviceDatabases, type ServiceDatabases } from './platform/service-databases.ts';
import { services, type Services } from './platform/services.ts';
import { testAccounts, type TestAccounts } from './platform/test-accounts.ts';

export type { CallOptions, GraphAnswer, GraphPage, RestAnswer, Untyped } from './platform/http-client.ts';
export type { TestAccount } from './platform/test-accounts.ts';

export interface TestPlatformOptions {
  services: readonly ServiceName[];
  /** Also starts the gateway over them, with the committed supergraph; then `'gateway'` can be called like a service. */
  gateway?: boolean;
  /** The server through which the services reach their databases, such as a pooler. Default: the server of the test run. */
  databaseServer?: DatabaseServer;
  /** Environment variables in addition to the tests' own. */
  env?: Record<string, string>;
}

/** The servers that a test can call. */
export type Called = ServiceName | 'gateway';

/** Real services on their own ports, with their own databases and demo data. */
export interface TestPlatform
  extends HttpClient<Called>, TestAccounts, Pick<Services, 'running' | 'restart' | 'replica'> {
  url(service: Called): string;
  /** The token of a service. */
  serviceToken(service: ServiceName): Promise<string>;
  /** A statement in a service's database, without the service: to simulate passing time, and to check stored rows. */
  sql: ServiceDatabases['sql'];
  dataDir: string;
  env: Record<string, string>;
  /** Stops everything, replicas included, and removes databases and files. */
  stop(): Promise<void>;
}

/** Starts the named services; identity first, because the others read its keys. */
export async function startPlatform(options: TestPlatformOptions): Promise<TestPlatform> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'platform-test-'));
  const env = environment(dataDir, options.env);
  const databases = serviceDatabases(options.databaseServer);
  const started = services(env, databases);
  for (const service of ['identity' as const, ...SERVICE_NAMES.filter((name) => name !== 'identity')])
    if (options.services.includes(service)) await started.start(service);
  const gateway = options.gateway ? await gatewayOver(env) : undefined;

  const url = (server: Called): string => {
    if (server !== 'gateway') return started.running(server).url;
    if (!gateway) throw new Error('the gateway is not started in this test');
    return gateway.url;
  };
  const client = httpClient(url);
  const { sql } = databases;
  return {
    ...client,
    ...testAccounts({ client, isRunning: started.isRunning, sql }),
    running: started.running,
    restart: started.restart,
    replica: started.replica,
    serviceToken: (service) => serviceTokens(service, readSettings(serverSettings, env)).get(),
    url,
    sql,
    dataDir,
    env,
    async stop() {
      await gateway?.stop();
      await started.stop();
      await databases.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const environment = (dataDir: string, more: Record<string, string> = {}): Record<string, string> => ({
  HOST: '127.0.0.1',
  DATA_DIR: dataDir,
  DEMO: 'on',
  DEMO_HISTORY: 'off', // so that tests count only their own rows, and start faster
  LOG_LEVEL: 'silent',
  RATE_LIMITS: 'off',
  STOP_GRACE_PERIOD_MILLIS: '1000',
  ...(process.env.TEST_DATABASE_POOLER && { DATABASE_PREPARED_STATEMENTS: 'off' }),
  SUBGRAPH_TIMEOUT_MILLIS: '10000', // for busy machines
  SERVICE_CALL_TIMEOUT_MILLIS: String(onThisMachine(3_000)),
  ...more,
});

/** Imports the gateway only if a test needs it, because that takes most of a second. */
async function gatewayOver(env: Record<string, string>): Promise<RunningGateway> {
  const [{ gatewaySettingsOf }, { startGateway }] = await Promise.all([
    import('../../gateway/settings.ts'),
    import('../../gateway/start-gateway.ts'),
  ]);
  return startGateway(gatewaySettingsOf({ ...env, GATEWAY_PORT: '0' }));
}
