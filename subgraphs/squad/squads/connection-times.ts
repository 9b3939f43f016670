import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';

/** Milliseconds since 1970. Both are null if the user has not been connected for `KEEPS_GONE_MILLIS`. */
export interface ConnectionTime {
  /** When the user's present connection began, or the oldest of several; null if they have none. */
  readonly connectedAt: number | null;
  /**
   * When the user's last connection ended; null if they are connected, or if that was more than `KEEPS_GONE_MILLIS` ago. If
   * connections were lost without a time, by a crash for example, it is at least the time of that loss, because the user may have
   * been connected until then.
   */
  readonly goneAt: number | null;
}

/**
 * When users connected (sockets and subscriptions, of all devices and instances), whether they have announced their
 * presence or not. Implementations: `MemoryConnectionTimes`, and `connection-times.redis.ts`.
 */
export interface ConnectionTimes {
  /** Counts a connection until the returned function is called; further calls of it change nothing. */
  open(userId: string): () => void;
  /** An entry for each of these users. @throws UPSTREAM_UNAVAILABLE if the times are in Redis, which does not answer */
  of(userIds: readonly string[]): Promise<ReadonlyMap<string, ConnectionTime>>;
  dispose(): void;
}

/** The present time with fractions of a millisecond, so that users who connect within the same millisecond are in order. */
export const connectionTime = (): number => performance.timeOrigin + performance.now();

/** How long the time of a user's last disconnection is kept. A setting for the length of an absence must not be longer. */
export const KEEPS_GONE_MILLIS = 2 * 60 * 60 * 1000; // 2 h

/** The connections of one process. */
export class MemoryConnectionTimes implements ConnectionTimes {
  private readonly connected = new Map<string, { count: number; since: number }>();
  /** The process before this one may have had connections until now. */
  private readonly startedAt = Date.now();
  private readonly gone = boundedCache<string, { at: number }>({
    name: 'squad_gone_connections',
    maxEntries: 50_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: (_gone, userId) => bytesOfText(userId) + 50,
    ttlMillis: KEEPS_GONE_MILLIS,
  });

  open(userId: string): () => void {
    const known = this.connected.get(userId) ?? { count: 0, since: connectionTime() };
    known.count += 1;
    this.connected.set(userId, known);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      known.count -= 1;
      if (known.count > 0) return;
      this.connected.delete(userId);
      this.gone.set(userId, { at: Date.now() });
    };
  }

  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, ConnectionTime>> {
    const lostAt = this.startedAt > Date.now() - KEEPS_GONE_MILLIS ? this.startedAt : null;
    return new Map(
      userIds.map((userId) => {
        const connectedAt = this.connected.get(userId)?.since ?? null;
        return [userId, { connectedAt, goneAt: connectedAt ? null : (this.gone.get(userId)?.at ?? lostAt) }];
      }),
    );
  }

  dispose(): void {
    this.connected.clear();
  }
}
