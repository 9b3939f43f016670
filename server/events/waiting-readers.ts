import { PlatformError } from '../errors.ts';

/** The maximum number of requests of one caller that wait for events at one replica. */
const MAX_OF_CALLER = 10;
/** The maximum number of requests of all callers that wait for events at one replica. */
const MAX_OF_ALL = 5_000;

interface WaitingReader {
  /** Null for the feed of all gyms. */
  gymId: string | null;
  wake(): void;
}

/** A place of a request among those that wait for events. */
export interface Place {
  /**
   * Resolves when an event may have been published since the last call, when `millis` have passed, when `clientLeft` aborts,
   * or when the server stops.
   */
  wait(millis: number, clientLeft: AbortSignal | undefined): Promise<void>;
  leave(): void;
}

/** The requests that wait for events. */
export class WaitingReaders {
  isEnded = false;
  private readonly readers = new Set<WaitingReader>();
  private readonly byCaller = new Map<string, number>();

  /** @throws RATE_LIMITED if too many requests of the caller, or of all callers, wait already */
  enter(caller: string, gymId: string | null): Place {
    const count = this.byCaller.get(caller) ?? 0;
    if (count >= MAX_OF_CALLER || this.readers.size >= MAX_OF_ALL)
      throw new PlatformError(
        'RATE_LIMITED',
        count >= MAX_OF_CALLER
          ? `At most ${MAX_OF_CALLER} requests of one caller may wait for events; read them with one request after the other.`
          : 'Too many requests wait for events now; send the request without "wait", or try again in a moment.',
        { retryAfterSeconds: 1 },
      );
    this.byCaller.set(caller, count + 1);
    let changed = Promise.withResolvers<void>();
    const reader: WaitingReader = { gymId, wake: () => changed.resolve() };
    this.readers.add(reader);
    return {
      wait: async (millis, clientLeft) => {
        if (!this.isEnded && !clientLeft?.aborted) {
          const timer = setTimeout(reader.wake, millis);
          clientLeft?.addEventListener('abort', reader.wake);
          await changed.promise;
          clearTimeout(timer);
          clientLeft?.removeEventListener('abort', reader.wake);
        }
        changed = Promise.withResolvers<void>();
      },
      leave: () => {
        this.readers.delete(reader);
        const others = (this.byCaller.get(caller) ?? 1) - 1;
        if (others > 0) this.byCaller.set(caller, others);
        else this.byCaller.delete(caller);
      },
    };
  }

  /**
   * @param gyms the ids of the gyms that have new events, separated by commas. All readers wake if it contains `*` (an event of
   * something that belongs to all gyms), or if it is undefined (notifications may have been lost)
   */
  wake(gyms: string | undefined): void {
    const changed = gyms === undefined || gyms.includes('*') ? undefined : new Set(gyms.split(','));
    for (const reader of this.readers)
      if (!changed || reader.gymId === null || changed.has(reader.gymId)) reader.wake();
  }

  end(): void {
    this.isEnded = true;
    for (const reader of this.readers) reader.wake();
  }
}
