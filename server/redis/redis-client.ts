import { readFileSync } from 'node:fs';
import { createClient } from 'redis';
import { StartError } from '../start-error.ts';
import { redisTargetOf, type RedisAddress, type RedisCredentials, type RedisTarget } from './redis-url.ts';

/** The settings of the connection to Redis. `docs/operations.md` describes each. */
export interface RedisSettings {
  redisUrl?: string | undefined;
  redisCaFile?: string | undefined;
  redisCertFile?: string | undefined;
  redisKeyFile?: string | undefined;
  redisServerName?: string | undefined;
}

/** The certificates of a connection with TLS. */
export interface RedisTls {
  ca?: string;
  cert?: string;
  key?: string;
  servername?: string;
}

export interface RedisAccess {
  readonly target: RedisTarget;
  /** Undefined without TLS. */
  readonly tls: RedisTls | undefined;
}

/** @throws StartError if a setting is missing, contradicts another one, or names a file that cannot be read */
export function redisAccessOf(settings: RedisSettings & { redisUrl: string }): RedisAccess {
  const target = redisTargetOf(settings.redisUrl);
  const { redisCaFile, redisCertFile, redisKeyFile, redisServerName } = settings;
  if (!target.isTls) {
    if (redisCaFile || redisCertFile || redisKeyFile || redisServerName)
      throw new StartError(
        'REDIS_CA_FILE, REDIS_CERT_FILE, REDIS_KEY_FILE and REDIS_SERVER_NAME are for TLS, but REDIS_URL is without it. ' +
          'Write rediss instead of redis in REDIS_URL, or remove them.',
      );
    return { target, tls: undefined };
  }
  if (!redisCertFile !== !redisKeyFile)
    throw new StartError('A client certificate needs both: REDIS_CERT_FILE and REDIS_KEY_FILE.');
  return {
    target,
    tls: {
      ...(redisCaFile && { ca: contentOf('REDIS_CA_FILE', redisCaFile) }),
      ...(redisCertFile && { cert: contentOf('REDIS_CERT_FILE', redisCertFile) }),
      ...(redisKeyFile && { key: contentOf('REDIS_KEY_FILE', redisKeyFile) }),
      ...(redisServerName && { servername: redisServerName }),
    },
  };
}

function contentOf(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StartError(`${variable}: the file ${file} cannot be read.`, { cause });
  }
}

/** Options of every connection: to a single server, to a server found by sentinels, and to a node of a cluster. */
export const clientOptions = (tls: RedisTls | undefined, { username, password }: RedisCredentials) => ({
  // Version 3, the default, changes the types of some answers, and needs HELLO, which a server before Redis 6 does not know.
  RESP: 2 as const,
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
  // 0: no time limit of the package. RedisConnection has a time limit for every command already.
  commandOptions: { timeout: 0 },
  // While a server is unreachable a command fails at once, instead of waiting for a connection.
  disableOfflineQueue: true,
  socket: {
    connectTimeout: 2_000, // 2 s
    ...(tls && { tls: true as const, ...tls }),
  },
});

/** A client of one server that does not reconnect: `RedisNode` replaces it. */
export function clientFor(
  { host, port }: RedisAddress,
  {
    tls,
    credentials,
    database,
  }: { tls: RedisTls | undefined; credentials: RedisCredentials; database: number },
) {
  const options = clientOptions(tls, credentials);
  return createClient({
    ...options,
    database,
    socket: { ...options.socket, host, port, reconnectStrategy: false },
  });
}

export type RedisClient = ReturnType<typeof clientFor>;
