interface Followed {
  /** Resolves when the gym's entries are known, or when Redis did not answer. */
  ready: Promise<void>;
  isLoaded: boolean;
  isLoading: boolean;
  /** When `open` was last called for it, in milliseconds since 1970. */
  usedAt: number;
  unsubscribe: (() => void) | undefined;
}

interface GymSource {
  /** Subscribes to the changes of a gym. */
  subscribe(gymId: string): Promise<() => void>;
  /** Reads the gym's entries of all instances. */
  load(gymId: string): Promise<void>;
  /** Whether the gym has connections, listeners or entries of this instance. */
  isNeeded(gymId: string): boolean;
  /** Forgets the entries of other instances in the gym. */
  forget(gymId: string): void;
}

/** A gym that is no longer needed is still followed for this time, so that not every request has to subscribe to it again. */
const KEPT_MILLIS = 60_000; // 1 min
const LOADS_AT_ONCE = 32;

/**
 * The gyms whose presence this instance knows: those with connections, listeners or entries of this instance, and those
 * that a request has read in the last minute.
 */
export class FollowedGyms {
  private readonly gyms = new Map<string, Followed>();
  private readonly source: GymSource;
  private readonly keptMillis: number;
  private loading: Promise<void> | undefined;

  constructor(source: GymSource, keptMillis = KEPT_MILLIS) {
    this.source = source;
    this.keptMillis = keptMillis;
  }

  get ids(): Iterable<string> {
    return this.gyms.keys();
  }

  has(gymId: string): boolean {
    return this.gyms.has(gymId);
  }

  /** Resolves once the gym's entries are known. If Redis does not answer, they are read when it does. */
  open(gymId: string): Promise<void> {
    const known = this.gyms.get(gymId);
    if (known) {
      known.usedAt = Date.now();
      return known.ready;
    }
    const gym: Followed = {
      ready: Promise.resolve(),
      isLoaded: false,
      isLoading: false,
      usedAt: Date.now(),
      unsubscribe: undefined,
    };
    this.gyms.set(gymId, gym);
    gym.ready = this.load(gymId, gym);
    return gym.ready;
  }

  /** Stops following gyms that are not needed, and reads the entries of gyms that could not be read before. */
  tend(): void {
    const unusedSince = Date.now() - this.keptMillis;
    for (const [gymId, gym] of this.gyms)
      if (gym.usedAt < unusedSince && !this.source.isNeeded(gymId)) this.end(gymId, gym);
    this.loading ??= this.loadMissing().finally(() => (this.loading = undefined));
  }

  /** The entries of all gyms have to be read again, because Redis has lost entries or messages. */
  reload(): void {
    for (const gym of this.gyms.values()) gym.isLoaded = false;
    this.tend();
  }

  /** The entries of this gym have to be read again. */
  reloadGym(gymId: string): void {
    const gym = this.gyms.get(gymId);
    if (!gym) return;
    gym.isLoaded = false;
    void this.load(gymId, gym);
  }

  dispose(): void {
    for (const { unsubscribe } of this.gyms.values()) unsubscribe?.();
    this.gyms.clear();
  }

  private end(gymId: string, gym: Followed): void {
    this.gyms.delete(gymId);
    gym.unsubscribe?.();
    this.source.forget(gymId);
  }

  /** Reads `LOADS_AT_ONCE` gyms at a time: an instance may follow thousands, whose commands would exceed their time limit. */
  private async loadMissing(): Promise<void> {
    const missing = [...this.gyms].filter(([, gym]) => !gym.isLoaded);
    const next = async (): Promise<void> => {
      for (let one = missing.pop(); one; one = missing.pop()) await this.load(...one);
    };
    await Promise.all(Array.from({ length: LOADS_AT_ONCE }, next));
  }

  private async load(gymId: string, gym: Followed): Promise<void> {
    if (gym.isLoading) return;
    gym.isLoading = true;
    try {
      do {
        gym.unsubscribe ??= await this.source.subscribe(gymId);
        // Set before `load`: if messages are lost during it, `reload` sets it to false again.
        gym.isLoaded = true;
        await this.source.load(gymId);
      } while (!gym.isLoaded);
      if (this.gyms.get(gymId) !== gym) gym.unsubscribe();
    } catch {
      gym.isLoaded = false; // Redis does not answer, which its connection has logged; `tend` tries again
    } finally {
      gym.isLoading = false;
      // The gym was dropped meanwhile, and what `load` has read afterwards would never be removed.
      if (!this.gyms.has(gymId)) this.source.forget(gymId);
    }
  }
}
