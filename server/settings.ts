import { z } from 'zod';
import { isDatabaseUrl } from './database/connection.ts';
import { DEFAULT_POOL_MAX } from './database/pool-size.ts';
import { DAY_MILLIS } from './durations.ts';
import { filesPlaceOf } from './files/files-url.ts';
import { redisTargetOf } from './redis/redis-url.ts';
import { tracingSettings } from './observability/tracing-settings.ts';
import { retentionSettings } from './retention/retention-settings.ts';
import { StartError } from './start-error.ts';

/** `process.env`, or a substitute. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from environment variables, and checks them against a schema. The field `gymPort` is the variable
 * `GYM_PORT`. An empty variable counts as absent, because Docker Compose passes an empty one for `${X:-}`.
 * @throws SettingsError that names every wrong variable
 */
export function readSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  env: Environment,
): z.output<z.ZodObject<Shape>> {
  const given: Record<string, string> = {};
  for (const field of Object.keys(schema.shape)) {
    const value = env[variableOf(field)];
    if (value !== undefined && value !== '') given[field] = value;
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new SettingsError(
    result.error.issues.map((issue) => {
      const field = String(issue.path[0]);
      const received =
        given[field] === undefined ? 'it is not set' : `got "${withoutSecret(field, given[field])}"`;
      return `${variableOf(field)}: ${issue.message}; ${received}`;
    }),
  );
}

/** A setting is wrong or missing: the start fails and names the variables. */
export class SettingsError extends StartError {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`Wrong settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** The properties of a start that decide which choices an operator must make. */
interface StartKind {
  /** Whether the started servers use a database. */
  hasDatabase: boolean;
  /** Whether the other services run in other processes. */
  isSeparate: boolean;
  /** Whether the started servers store uploaded files. */
  storesFiles: boolean;
  /** Whether the started servers send mails. */
  sendsMails: boolean;
}

/**
 * Adds the defaults of DEMO and HOST. Demo accounts have a public password, so they are not created in production
 * (`NODE_ENV=production`, or a DATABASE_URL) if DEMO is not set to on. A server with demo data accepts connections only from
 * this machine if HOST is not set.
 */
export function withDemoDefaults(env: Environment): Environment {
  const DEMO = env.DEMO || (isProduction(env) || env.DATABASE_URL ? 'off' : 'on');
  return { ...env, DEMO, HOST: env.HOST || (isOn(DEMO) ? '127.0.0.1' : '0.0.0.0') };
}

const isProduction = (env: Environment): boolean => env.NODE_ENV === 'production';
const isOn = (word: string): boolean => ['on', 'true', '1'].includes(word);

/** The settings without a safe default that the operator has not chosen; empty if none is missing. */
export function missingChoices(env: Environment, kind: StartKind): string[] {
  const { hasDatabase, isSeparate, storesFiles, sendsMails } = kind;
  const missing: string[] = [];
  if (isProduction(env) && hasDatabase && !env.DATABASE_URL && !env.DEMO)
    missing.push(
      'DATABASE_URL: NODE_ENV is production, and no database is chosen. Name a PostgreSQL server; or set DEMO=off for the ' +
        'embedded one without demo accounts, or DEMO=on for demo accounts with a public password',
    );
  if (hasDatabase && env.DATABASE_DIRECT_URL && !env.DATABASE_URL)
    missing.push(
      'DATABASE_URL: DATABASE_DIRECT_URL is set, which is the address of the same server without its connection pooler. ' +
        'Name the pooler, or set only DATABASE_URL',
    );
  if (isSeparate && hasDatabase && env.REDIS_URL && !env.DATABASE_URL)
    missing.push(
      'DATABASE_URL: REDIS_URL is set, so that there can be several replicas, and they need one database. Name a PostgreSQL ' +
        'server, or remove REDIS_URL',
    );
  if (isSeparate && !env.SERVICE_SECRET && !isOn(withDemoDefaults(env).DEMO ?? ''))
    missing.push(
      'SERVICE_SECRET: services in separate processes authenticate with it. Set the same one for all of them, at least 32 ' +
        'characters; "openssl rand -hex 32" creates one',
    );
  if (storesFiles && mayHaveReplicas(env, kind) && !isForReplicas(env.FILES_URL))
    missing.push(
      'FILES_URL: there can be several replicas, and each would store uploaded files on a disk of its own. Name a bucket ' +
        '(s3://bucket/prefix?region=...), or a folder on a volume that all replicas have mounted ' +
        '(file:///folder?shared=true); with only one replica of each service, that is any folder on a lasting volume',
    );
  if (sendsMails && isProduction(env) && !env.SMTP_URL && !isOn(withDemoDefaults(env).DEMO ?? ''))
    missing.push(
      'SMTP_URL: NODE_ENV is production, and no mail server is chosen. Name one (smtp://user:password@host:587); or set ' +
        'SMTP_URL=outbox: to write each mail to a file in DATA_DIR/outbox',
    );
  return missing;
}

/**
 * Whether there may be several replicas with these settings. Separate services: with REDIS_URL, or in production with
 * DATABASE_URL. All services in one process: with both URLs.
 */
const mayHaveReplicas = (env: Environment, { isSeparate }: StartKind): boolean =>
  isSeparate
    ? Boolean(env.REDIS_URL || (isProduction(env) && env.DATABASE_URL))
    : Boolean(env.REDIS_URL && env.DATABASE_URL);

/** Whether all replicas find the same files at this FILES_URL. A wrong URL is reported when the settings are read. */
function isForReplicas(filesUrl: string | undefined): boolean {
  if (!filesUrl) return false;
  try {
    const place = filesPlaceOf(filesUrl);
    return place.kind === 's3' || place.isShared;
  } catch {
    return true;
  }
}

/** Reads settings, and reports everything that is missing or wrong in one message. @throws SettingsError */
export function reportingAllProblems<Settings>(missing: readonly string[], read: () => Settings): Settings {
  let settings: Settings;
  try {
    settings = read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError([...missing, ...error.problems]);
  }
  if (missing.length > 0) throw new SettingsError(missing);
  return settings;
}

/** `databaseUrl` -> `DATABASE_URL` */
export const variableOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** A TCP port; 0 lets the system choose. */
export const port = (byDefault: number) =>
  z.coerce
    .number('expected a port number from 0 to 65535')
    .int('expected a port number from 0 to 65535')
    .min(0, 'expected a port number from 0 to 65535')
    .max(65_535, 'expected a port number from 0 to 65535')
    .default(byDefault);

/** A setting that is `on` or `off`; `true`, `1`, `false` and `0` are accepted, too. */
export const toggle = (byDefault: boolean) =>
  z
    .enum(['on', 'off', 'true', 'false', '1', '0'], 'expected on or off')
    .transform((word) => word === 'on' || word === 'true' || word === '1')
    .default(byDefault);

export const httpUrl = (byDefault: string) =>
  z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' }).default(byDefault);

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

/** The services and their default ports. */
export const SERVICE_PORTS = {
  gym: 3002,
  nutrition: 3003,
  content: 3004,
  squad: 3005,
  wizard: 3006,
  identity: 3007,
} as const;
export type ServiceName = keyof typeof SERVICE_PORTS;
export const SERVICE_NAMES = Object.keys(SERVICE_PORTS) as ServiceName[];

const serviceUrl = (name: ServiceName) => httpUrl(`http://127.0.0.1:${SERVICE_PORTS[name]}`);

/** The settings of every server of the platform. `docs/operations.md` describes each. */
export const serverSettings = z.object({
  /** The address to listen on; see `withDemoDefaults` for the default with demo data. */
  host: z.string().default('0.0.0.0'),
  /** The folder of the embedded database, uploaded files, the mail outbox and squad's JSON files. */
  dataDir: z.string().default('.data'),
  /** A PostgreSQL server, `postgres://user:password@host:port/postgres`; if absent, the embedded server is started. */
  databaseUrl: z
    .string()
    .refine(isDatabaseUrl, 'expected postgres://user:password@host:port/database')
    .optional(),
  /**
   * The same server without a connection pooler, for what needs a session: LISTEN, migrations, CREATE DATABASE. Default:
   * DATABASE_URL.
   */
  databaseDirectUrl: z
    .string()
    .refine(isDatabaseUrl, 'expected postgres://user:password@host:port/database')
    .optional(),
  /** How many connections a service's pool opens at most. A request needs up to two at a time. */
  databasePoolMax: z.coerce
    .number('expected a number of connections from 2 to 1000')
    .int('expected a number of connections from 2 to 1000')
    .min(2, 'expected a number of connections from 2 to 1000')
    .max(1_000, 'expected a number of connections from 2 to 1000')
    .default(DEFAULT_POOL_MAX),
  /**
   * Where uploaded files are stored: `s3://bucket/prefix?region=...`, `file:///folder?shared=true`; if absent, in the data
   * folder.
   */
  filesUrl: z
    .string()
    .transform((text, context) => {
      try {
        return filesPlaceOf(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    })
    .optional(),
  /**
   * Whether a start creates the database and runs the migrations. If off, the command `migrate` does both, as a database
   * user who may change tables.
   */
  databaseMigrations: toggle(true),
  /**
   * Whether connections keep prepared statements for frequent reads. Must be off behind a pooler that gives a client another
   * connection for each transaction.
   */
  databasePreparedStatements: toggle(true),
  /**
   * Redis for several replicas of a service: a server, `redis://host:6379`, sentinels or a cluster; see `redisTargetOf`. If
   * absent, shared state such as rate limits is in the memory of this process.
   */
  redisUrl: z
    .string()
    .superRefine((text, context) => {
      try {
        redisTargetOf(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    })
    .optional(),
  /** With TLS: the certificates (PEM) of the authorities that sign the certificates of Redis. Default: the authorities of Node. */
  redisCaFile: z.string().optional(),
  /** With TLS: the certificate and the key (PEM) with which this process authenticates to Redis. */
  redisCertFile: z.string().optional(),
  redisKeyFile: z.string().optional(),
  /** With TLS: the name that the certificates of Redis must have, if it is not the host of the connection. */
  redisServerName: z.string().optional(),
  identityUrl: serviceUrl('identity'),
  gymUrl: serviceUrl('gym'),
  wizardUrl: serviceUrl('wizard'),
  nutritionUrl: serviceUrl('nutrition'),
  contentUrl: serviceUrl('content'),
  squadUrl: serviceUrl('squad'),
  /** How long a call from one service to another may take, in milliseconds; some internal calls have longer limits. */
  serviceCallTimeoutMillis: z.coerce
    .number('expected milliseconds')
    .int()
    .min(100, 'expected at least 100 ms')
    .max(60_000, 'expected at most 60,000 ms')
    .default(3_000), // 3 s
  /**
   * The secret with which servers authenticate to identity: that of the installation, the same for all of them, or the
   * server's own one, which is derived from it. If absent, a random secret is created once in the data folder, for servers
   * that share a data folder.
   */
  serviceSecret: z.string().min(32, 'expected at least 32 characters').optional(),
  /** `iss` and `aud` that access tokens must have. */
  jwtIssuer: z.string().default('fitness-platform'),
  jwtAudience: z.string().default('fitness-platform'),
  /** The file of further issuers of access tokens, and of the meaning of their claims. Every server reads it. */
  jwtIssuersFile: z.string().optional(),
  /** Whether to create demo data at the first start; see `withDemoDefaults` for the default. */
  demo: toggle(false),
  /** Whether the demo data includes more members and the four weeks before the first start. */
  demoHistory: toggle(true),
  /** Who may introspect the schema: `on` everybody, `admins`, `off` nobody. Default: `on` with demo data, else `admins`. */
  introspection: z.enum(['on', 'admins', 'off'], 'expected on, admins or off').optional(),
  rateLimits: toggle(true),
  /**
   * How many TCP connections, and how many WebSockets, one client address may have at a server. Sockets through a trusted
   * proxy count for the proxy's clients.
   */
  socketsPerAddress: z.coerce.number('expected a number of sockets').int().min(1).default(2_000),
  /** How many WebSockets one user may have at a server. */
  socketsPerUser: z.coerce.number('expected a number of sockets').int().min(1).default(50),
  /** How many subscriptions and other operations may run on one WebSocket. */
  operationsPerSocket: z.coerce.number('expected a number of operations').int().min(1).default(100),
  /** How long a GraphQL WebSocket may stay open without an operation, in milliseconds. */
  socketIdleMillis: z.coerce.number('expected milliseconds').int().min(100).max(DAY_MILLIS).default(600_000), // 10 min
  /** Origins from which browsers may call, separated by commas; with demo data every loopback origin may. */
  corsOrigins: list.default([]),
  /** Proxies whose X-Forwarded-For is trusted: addresses, subnets, or `loopback`, `uniquelocal`; separated by commas. */
  trustedProxies: list.default(['loopback']),
  /** The bearer token that `GET /metrics` requires. */
  metricsToken: z.string().min(16, 'expected at least 16 characters').optional(),
  /** A separate port for `GET /metrics`, which all servers of a process share. */
  metricsPort: z.coerce
    .number('expected a port number from 1 to 65535')
    .int('expected a port number from 1 to 65535')
    .min(1, 'expected a port number from 1 to 65535')
    .max(65_535, 'expected a port number from 1 to 65535')
    .optional(),
  logLevel: z
    .enum(
      ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
      'expected silent, fatal, error, warn, info, debug or trace',
    )
    .default('info'),
  /**
   * How long a server still accepts everything after the signal to stop, in milliseconds: load balancers need this time to
   * notice that it is not ready any more.
   */
  drainDelayMillis: z.coerce.number('expected milliseconds').int().min(0).max(120_000).default(5_000), // 5 s
  /** How long a stop waits for running requests, in milliseconds. */
  stopGracePeriodMillis: z.coerce.number().int().min(0).max(120_000).default(10_000), // 10 s
  ...retentionSettings.shape,
  ...tracingSettings.shape,
});
export type ServerSettings = z.output<typeof serverSettings>;

/** The base URL of a service. */
export const urlOf = (name: ServiceName, settings: ServerSettings): string => settings[`${name}Url`];

const SECRET = /secret|password|token|apiKey|Headers$|Endpoint$|Url$/i;
/** Masks a secret; of a URL, the password, even if it has an "@" or "/" that is not encoded, or is in a parameter. */
const withoutSecret = (field: string, value: string): string =>
  SECRET.test(field)
    ? value
        .replace(/\/\/.*@/, '//***@')
        .replace(/(password=)[^&]*/gi, '$1***')
        .replace(/^(?![\w+]+:\/\/).*$/, '***')
    : value;
