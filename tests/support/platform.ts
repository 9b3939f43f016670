import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { serviceTokens } from '#server/auth/service-tokens.ts';
import { connectionTo } from '#server/database/connection.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import type { AnySubgraph } from '#server/define-subgraph.ts';
import { DEMO_GYMS, DEMO_PASSWORD, type DEMO_PEOPLE } from '#server/demo-ids.ts';
import { settingsOf } from '#server/run.ts';
import {
  readSettings,
  serverSettings,
  SERVICE_NAMES,
  type ServerSettings,
  type ServiceName,
} from '#server/settings.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import type { RunningGateway } from '../../gateway/start-gateway.ts';
import { cloneDatabase } from './database.ts';

type DemoEmail = (typeof DEMO_PEOPLE)[number]['email'];

export interface TestPlatformOptions {
  services: readonly ServiceName[];
  /** Also starts the gateway over them, with the committed supergraph; then `'gateway'` can be called like a service. */
  gateway?: boolean;
  /** Environment variables in addition to the tests' own. */
  env?: Record<string, string>;
}

/** The servers that a test can call. */
export type Called = ServiceName | 'gateway';

/** An answer of a REST call. */
export interface RestAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line no-explicit-any -- the caller knows the shape of the answer
  body: any;
}

export interface GraphAnswer {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- the caller knows the shape of the answer
  data: any;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: { code: string; [key: string]: unknown };
  }[];
}

export interface CallOptions {
  token?: string;
  headers?: Record<string, string>;
  /** Sent as JSON; bytes, text and forms unchanged. */
  body?: unknown;
}

/** Real services on their own ports, with their own databases and demo data. */
export interface TestPlatform {
  url(service: Called): string;
  /** `rest('gym', 'GET', '/locations', { token })` */
  rest(service: Called, method: string, path: string, options?: CallOptions): Promise<RestAnswer>;
  /** One GraphQL operation at the service's own port. */
  graph(service: Called, query: string, variables?: object, options?: CallOptions): Promise<GraphAnswer>;
  /** The access token of a demo account, which is logged in once per platform. */
  demo(email: DemoEmail): Promise<string>;
  /** A new member. */
  register(gymId?: string | null): Promise<{ id: string; email: string; password: string; token: string }>;
  login(email: string, password: string): Promise<string>;
  /** The token of a service. */
  serviceToken(service: ServiceName): Promise<string>;
  /** A statement in a service's database, without the service: to simulate passing time, and to check stored rows. */
  // oxlint-disable-next-line no-explicit-any -- the caller knows the shape of the answer
  sql(service: ServiceName, statement: string, values?: unknown[]): Promise<any[]>;
  /** Another process of the same service, or of another version of it, on the same database; stopped with the rest. */
  replica(service: ServiceName, version?: AnySubgraph): Promise<RunningSubgraph>;
  dataDir: string;
  env: Record<string, string>;
  running(service: ServiceName): RunningSubgraph;
  /** Stops one service and starts it again on the same database and port. */
  restart(service: ServiceName): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the named services; identity first, because the others read its keys. */
export async function startPlatform({
  services,
  gateway: withGateway = false,
  env = {},
}: TestPlatformOptions): Promise<TestPlatform> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'platform-test-'));
  const running = new Map<ServiceName, RunningSubgraph>();
  const databases = new Map<ServiceName, Awaited<ReturnType<typeof cloneDatabase>>>();
  const started: ServerSettings[] = [];
  const tokens = new Map<string, Promise<string>>();
  const platformEnv: Record<string, string> = {
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DEMO: 'on',
    LOG_LEVEL: 'silent',
    RATE_LIMITS: 'off',
    STOP_GRACE_PERIOD_MILLIS: '1000',
    ...env,
  };
  let gateway: RunningGateway | undefined;
  const urlOf = (service: Called): string => {
    const url = service === 'gateway' ? gateway?.url : running.get(service)?.url;
    if (!url) throw new Error(`${service} is not started in this test`);
    return url;
  };

  const replicas: RunningSubgraph[] = [];
  const start = async (service: ServiceName, port = 0) => {
    const subgraph = await subgraphOf(service);
    const { settings } = settingsOf(subgraph, platformEnv);
    started.push(settings);
    const needsDatabase = subgraph.database && !subgraph.withoutDatabase?.(settings);
    if (needsDatabase && subgraph.database && !databases.has(service))
      databases.set(service, await cloneDatabase(subgraph.database));
    const database = databases.get(service);
    running.set(
      service,
      await startSubgraph(subgraph, {
        settings,
        port,
        databaseServer: database?.server,
        databaseName: database?.name,
        verifyAnswers: true,
      }),
    );
    platformEnv[`${service.toUpperCase()}_URL`] = urlOf(service);
    // Services that started earlier must find it at this address, too.
    for (const other of started) other[`${service}Url`] = urlOf(service);
  };
  for (const service of SERVICE_NAMES.toSorted((a) => (a === 'identity' ? -1 : 0)))
    if (services.includes(service)) await start(service);

  if (withGateway) gateway = await gatewayOver(platformEnv);

  const rest: TestPlatform['rest'] = async (service, method, at, options = {}) => {
    const response = await fetch(urlOf(service) + at, { method, ...encoded(options) });
    return { status: response.status, headers: response.headers, body: await bodyOf(response) };
  };
  const login = async (email: string, password: string): Promise<string> => {
    const { status, body } = await rest('identity', 'POST', '/auth/login', { body: { email, password } });
    if (status !== 200) throw new Error(`log-in of ${email} failed: ${JSON.stringify(body)}`);
    return body.token;
  };

  const platform: TestPlatform = {
    url: urlOf,
    dataDir,
    env: platformEnv,
    rest,
    async graph(service, query, variables = {}, options = {}) {
      const { status, body } = await rest(service, 'POST', '/graphql', {
        ...options,
        body: { query, variables },
      });
      return { status, ...body };
    },
    login,
    serviceToken: (service) => serviceTokens(service, readSettings(serverSettings, platformEnv)).get(),
    async sql(service, statement, values) {
      const database = databases.get(service);
      if (!database) throw new Error(`${service} has no database in this test`);
      const client = new PlatformClient(connectionTo(database.server, database.name));
      await client.connect();
      try {
        return (await client.query(statement, values)).rows as unknown[];
      } finally {
        await client.end();
      }
    },
    async replica(service, version) {
      const subgraph = version ?? (await subgraphOf(service));
      const { settings } = settingsOf(subgraph, platformEnv);
      const database = databases.get(service);
      const replica = await startSubgraph(subgraph, {
        settings,
        port: 0,
        databaseServer: database?.server,
        databaseName: database?.name,
        verifyAnswers: true,
      });
      replicas.push(replica);
      return replica;
    },
    demo(email) {
      const token = tokens.get(email) ?? login(email, DEMO_PASSWORD);
      tokens.set(email, token);
      return token;
    },
    async register(gymId = DEMO_GYMS.ironTemple.id) {
      const email = `user-${randomUUID()}@example.test`;
      const password = `pass-${randomUUID()}`;
      const isAsked = running.has('gym'); // which says whether a gym exists
      const { status, body } = await rest('identity', 'POST', '/auth/register', {
        body: {
          email,
          password,
          displayName: `Test ${email.slice(5, 9)}`,
          ...(gymId && isAsked && { gymId }),
        },
      });
      if (status !== 201) throw new Error(`registration failed: ${JSON.stringify(body)}`);
      if (gymId && !isAsked)
        await platform.sql('identity', 'update user_account set gym_id = $1 where id = $2', [gymId, body.id]);
      return { id: body.id, email, password, token: await login(email, password) };
    },
    running(service) {
      urlOf(service);
      return running.get(service) as RunningSubgraph;
    },
    async restart(service) {
      const before = platform.running(service);
      await before.stop();
      await start(service, before.port);
    },
    async stop() {
      await gateway?.stop();
      await Promise.all([...running.values(), ...replicas].map((service) => service.stop()));
      await Promise.all([...databases.values()].map((database) => database.drop()));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return platform;
}

/** Imported only if needed: it takes most of a second. */
async function gatewayOver(env: Record<string, string>): Promise<RunningGateway> {
  const [{ gatewaySettingsOf }, { startGateway }] = await Promise.all([
    import('../../gateway/settings.ts'),
    import('../../gateway/start-gateway.ts'),
  ]);
  return startGateway(gatewaySettingsOf({ ...env, GATEWAY_PORT: '0' }));
}

/** Imports only the named services: importing all six would slow down every test file. */
async function subgraphOf(service: ServiceName): Promise<AnySubgraph> {
  const module = (await import(`../../subgraphs/${service}/subgraph.ts`)) as Record<string, AnySubgraph>;
  const subgraph = module[service];
  if (!subgraph) throw new Error(`subgraphs/${service}/subgraph.ts does not export "${service}"`);
  return subgraph;
}

function encoded({ token, headers, body }: CallOptions): RequestInit {
  const authorization = token ? { Authorization: `Bearer ${token}` } : undefined;
  if (body === undefined) return { headers: { ...authorization, ...headers } };
  if (typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array)
    return { headers: { ...authorization, ...headers }, body: body as NonNullable<RequestInit['body']> };
  return {
    headers: { 'Content-Type': 'application/json', ...authorization, ...headers },
    body: JSON.stringify(body),
  };
}

async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('json')) return response.json();
  if (type.startsWith('text/') || type.includes('svg')) return response.text();
  const bytes = Buffer.from(await response.arrayBuffer());
  return bytes.length > 0 ? bytes : undefined;
}
