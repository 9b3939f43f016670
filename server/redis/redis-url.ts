/** The address of a server, a sentinel or a node of a cluster. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

export interface RedisCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** What a REDIS_URL names. `credentials` are those of the servers with the data. */
export type RedisTarget = { readonly isTls: boolean; readonly credentials: RedisCredentials } & (
  | { readonly kind: 'server'; readonly address: RedisAddress; readonly database: number }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisAddress[];
      readonly master: string;
      readonly sentinelCredentials: RedisCredentials;
      readonly database: number;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly RedisAddress[] }
);

const FORMS =
  'expected redis://user:password@host:6379/0, redis+sentinel://user:password@host1:26379,host2:26379/master-name or ' +
  'redis+cluster://user:password@host1:6379,host2:6379; with TLS rediss instead of redis';
const PARTS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@]*)@)?([^@/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PORTS = { server: 6379, sentinel: 26_379, cluster: 6379 } as const;
const PARAMETERS = {
  server: [],
  sentinel: ['db', 'sentinel_user', 'sentinel_password'],
  cluster: [],
} as const;

/**
 * Reads a REDIS_URL. `URL` cannot, because it refuses several hosts.
 * @throws Error that says what to write, without the URL
 */
export function redisTargetOf(url: string): RedisTarget {
  const parts = PARTS.exec(url);
  if (!parts) throw new Error(`${FORMS}; in a password, "@" is written as %40`);
  const [, scheme, mode, user, hosts = '', path = '', query = ''] = parts;
  const kind = (mode ?? 'server') as RedisTarget['kind'];
  const addresses = hosts.split(',').map((text) => addressOf(text, PORTS[kind]));
  const parameters = parametersOf(query, PARAMETERS[kind]);
  const common = { isTls: scheme === 'rediss', credentials: credentialsOf(user) };
  if (kind === 'cluster') {
    if (path !== '' && path !== '0') throw new Error('a cluster has no numbered databases: remove the path');
    return { kind, nodes: addresses, ...common };
  }
  if (kind === 'server') {
    const [address, ...others] = addresses;
    if (!address || others.length > 0) throw new Error(FORMS);
    return { kind, address, database: databaseOf(path), ...common };
  }
  if (path === '' || path.includes('/'))
    throw new Error('expected the name of the master after the sentinels: redis+sentinel://host:26379/name');
  return {
    kind,
    sentinels: addresses,
    master: decoded(path),
    database: databaseOf(parameters.get('db') ?? ''),
    sentinelCredentials: {
      username: parameters.get('sentinel_user') ?? undefined,
      password: parameters.get('sentinel_password') ?? undefined,
    },
    ...common,
  };
}

export function isRedisUrl(url: string): boolean {
  try {
    redisTargetOf(url);
    return true;
  } catch {
    return false;
  }
}

/** For messages: without user and password. */
export function redisNameOf(target: RedisTarget): string {
  if (target.kind === 'server') return nameOf(target.address);
  if (target.kind === 'cluster') return `${target.nodes.map(nameOf).join(',')} (cluster)`;
  return `${target.sentinels.map(nameOf).join(',')} (sentinels of ${target.master})`;
}

export const nameOf = ({ host, port }: RedisAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

function addressOf(text: string, defaultPort: number): RedisAddress {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text);
  const host = parts?.[1] ?? parts?.[2];
  const port = Number(parts?.[3] ?? defaultPort);
  if (!host || port < 1 || port > 65_535) throw new Error(FORMS);
  return { host, port };
}

function credentialsOf(user: string | undefined): RedisCredentials {
  if (!user) return {};
  const colon = user.indexOf(':');
  const [username, password] = colon < 0 ? [user, ''] : [user.slice(0, colon), user.slice(colon + 1)];
  return {
    ...(username && { username: decoded(username) }),
    ...(password && { password: decoded(password) }),
  };
}

function databaseOf(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw new Error(`expected the number of a database; ${FORMS}`);
  return Number(text || 0);
}

/** Refuses unknown parameters, because a misspelt one would have no effect. */
function parametersOf(query: string, known: readonly string[]): URLSearchParams {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys())
    if (!known.includes(name))
      throw new Error(
        `the parameter ${name} is unknown; ${known.length > 0 ? `expected ${known.join(', ')}` : 'none is expected'}`,
      );
  return parameters;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(
      'the user, the password or the name has a "%" that does not begin an encoded character; write a "%" itself as %25',
    );
  }
}
