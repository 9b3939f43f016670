import { ANY_KIND, ownKind, PROOF_MILLIS, type ChangeKeys } from '#server/changes/change-keys.ts';
import type { Logger } from '#server/observability/logger.ts';
import { RedisChannels } from '#server/redis/redis-channels.ts';
import type { RedisConnection } from '#server/redis/redis-connection.ts';
import type { SharedPolicy } from './fetch-policy.ts';
import type { FollowedChanges } from './followed-changes.ts';

/** How long a look at a service's tokens is trusted; see `FOLLOWED_MILLIS`. */
const TRUSTED_MILLIS = 300;
const LOOK_MILLIS = PROOF_MILLIS;
/** Within this time every service has noticed a `delayed` change. */
const SETTLED_MILLIS = 5_000; // 5 s

/** The token of any kind; null if no replica of the service proves that it notes all changes. */
const LOOK = `
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
return redis.call('HGET', KEYS[2], ARGV[1])
`;

export const WHILE_LOST = 'the shared cache is not used';

interface FollowedService {
  readonly name: string;
  readonly keys: ChangeKeys;
  /** By kind. */
  tokens: ReadonlyMap<string, string>;
  /** When the last successful look began; a change after that may be unknown. */
  seenAt: number;
  looking: Promise<void> | undefined;
  /** Whether a message arrived during the look. */
  looksAgain: boolean;
  isSubscribed: boolean;
}

/**
 * Looks at the tokens of each service several times a second, and at once after a message. A message only makes the next look
 * earlier: the absence of messages proves nothing, because a subscription can be dead without an error.
 */
export class RedisFollowedChanges implements FollowedChanges {
  private readonly redis: RedisConnection;
  private readonly channels: RedisChannels;
  private readonly keysOf: (service: string) => ChangeKeys | undefined;
  private readonly services = new Map<string, FollowedService>();
  private readonly changedAt = new Map<string, number>();
  private readonly listeners = new Set<(kinds: ReadonlySet<string>) => void>();
  private readonly timer: NodeJS.Timeout;

  constructor(redis: RedisConnection, log: Logger, keysOf: (service: string) => ChangeKeys | undefined) {
    this.redis = redis;
    this.keysOf = keysOf;
    this.channels = new RedisChannels(redis, { log, whileLost: WHILE_LOST });
    this.timer = setInterval(() => {
      for (const service of this.services.values()) void this.look(service);
    }, LOOK_MILLIS);
    this.timer.unref();
  }

  versionOf({ services, kinds, isPrivate }: SharedPolicy, userId?: string): string | undefined {
    const trustedFrom = performance.now() - TRUSTED_MILLIS;
    for (const service of services)
      if (!((this.services.get(service)?.seenAt ?? -Infinity) >= trustedFrom)) return undefined;
    let version = '';
    for (const kind of kinds) {
      const token = this.tokenOf(kind);
      if (token === undefined) return undefined;
      version += ` ${token}`;
      // `ownKind` has no token if the data of its users has not changed since the token of the whole kind was replaced.
      if (isPrivate && userId !== undefined) version += `+${this.tokenOf(ownKind(kind, userId)) ?? ''}`;
    }
    return version;
  }

  areSettled(kinds: readonly string[]): boolean {
    const now = performance.now();
    return kinds.every((kind) => now - (this.changedAt.get(kind) ?? -Infinity) > SETTLED_MILLIS);
  }

  onChange(listener: (kinds: ReadonlySet<string>) => void): void {
    this.listeners.add(listener);
  }

  follow(services: Iterable<string>): void {
    for (const name of services) {
      const keys = this.keysOf(name);
      if (!keys || this.services.has(name)) continue;
      const service: FollowedService = {
        name,
        keys,
        tokens: new Map(),
        seenAt: -Infinity,
        looking: undefined,
        looksAgain: false,
        isSubscribed: false,
      };
      this.services.set(name, service);
      void this.look(service);
    }
  }

  losses(): Record<string, string> {
    return this.redis.isLost || this.channels.isLost ? { sharedCache: WHILE_LOST } : {};
  }

  close(): void {
    clearInterval(this.timer);
    this.listeners.clear();
    this.channels.close();
  }

  private tokenOf(kind: string): string | undefined {
    const colon = kind.indexOf(':');
    return this.services.get(kind.slice(0, colon))?.tokens.get(kind.slice(colon + 1));
  }

  private async look(service: FollowedService): Promise<void> {
    if (service.looking) {
      service.looksAgain = true;
      return service.looking;
    }
    service.looking = this.readTokens(service).catch(() => undefined); // the connection logs that it is lost
    await service.looking;
    service.looking = undefined;
    if (!service.looksAgain) return;
    service.looksAgain = false;
    await this.look(service);
  }

  private async readTokens(service: FollowedService): Promise<void> {
    const { keys } = service;
    void this.subscribe(service);
    const startedAt = performance.now();
    const script = { keys: [keys.followed, keys.tokens], arguments: [ANY_KIND] };
    const token = await this.redis.run(keys.tokens, (client) => client.eval(LOOK, script));
    if (typeof token !== 'string') {
      service.seenAt = -Infinity;
      return;
    }
    if (token !== service.tokens.get(ANY_KIND)) {
      const tokens = await this.redis.run(keys.tokens, (client) => client.hGetAll(keys.tokens));
      this.replaceTokens(service, new Map(Object.entries(tokens)));
    }
    service.seenAt = startedAt;
  }

  private replaceTokens(service: FollowedService, tokens: ReadonlyMap<string, string>): void {
    const before = service.tokens;
    service.tokens = tokens;
    const changed = new Set<string>();
    for (const kind of new Set([...before.keys(), ...tokens.keys()]))
      if (kind !== ANY_KIND && before.get(kind) !== tokens.get(kind)) changed.add(`${service.name}:${kind}`);
    const now = performance.now();
    for (const kind of changed) if (!kind.includes('#')) this.changedAt.set(kind, now);
    for (const listener of this.listeners) listener(changed);
  }

  private async subscribe(service: FollowedService): Promise<void> {
    if (service.isSubscribed) return;
    service.isSubscribed = true;
    try {
      await this.channels.subscribe(service.keys.channel, () => void this.look(service));
    } catch {
      service.isSubscribed = false; // the next look tries again
    }
  }
}
