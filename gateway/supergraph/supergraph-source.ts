import type { Logger } from '#server/observability/logger.ts';

/** Where the gateway's supergraph comes from, as it changes. Implementations: `file-source.ts`, `composed-source.ts`. */
export interface SupergraphSource {
  /** The SDL that holds now: the first one, or the latest that every listener took. */
  readonly current: string;
  /**
   * Calls `listener` with each SDL that differs from the current one, one call at a time; of several that come
   * meanwhile only the latest. Where it throws or rejects, that SDL is refused with a line in the log and the one
   * before stays. Returns what ends it.
   */
  onChange(listener: SupergraphListener): () => void;
  stop(): void;
}

export type SupergraphListener = (sdl: string) => void | Promise<void>;

/** What all sources have in common: they offer what they find, and learn whether it was taken. */
export class OfferedSupergraph {
  private taken: string;
  private offered: string;
  private isOffering = false;
  private readonly listeners = new Set<SupergraphListener>();
  private readonly log: Logger;

  constructor(first: string, log: Logger) {
    this.taken = first;
    this.offered = first;
    this.log = log;
  }

  get current(): string {
    return this.taken;
  }

  onChange(listener: SupergraphListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Returns at once. An SDL that was refused is not offered again until there was another. */
  offer(sdl: string, origin: string): void {
    if (sdl === this.offered) return;
    this.offered = sdl;
    if (!this.isOffering) void this.offerUntilTaken(origin);
  }

  private async offerUntilTaken(origin: string): Promise<void> {
    this.isOffering = true;
    let tried = this.taken;
    while (tried !== this.offered) {
      tried = this.offered;
      if (tried !== this.taken) await this.tell(tried, origin);
    }
    this.isOffering = false;
  }

  private async tell(sdl: string, origin: string): Promise<void> {
    try {
      for (const listener of this.listeners) await listener(sdl);
      this.taken = sdl;
      this.log.info({ origin }, 'another supergraph is served from now on');
    } catch (error) {
      this.log.error(
        { origin, err: error },
        'this supergraph cannot be used; the one before is served further',
      );
    }
  }
}
