import type { Logger } from '#server/observability/logger.ts';

/** The source of the gateway's supergraph and of its changes. Implementations: `file-source.ts`, `composed-source.ts`. */
export interface SupergraphSource {
  /** The first SDL, or the latest one that every listener accepted. */
  readonly current: string;
  /**
   * Calls `listener` with each SDL that differs from the current one, one call at a time. If the SDL changes several times
   * during a call, only the latest is passed on. If the listener throws or rejects, the SDL is refused with a line in the log,
   * and the current one stays. Returns a function that removes the listener.
   */
  onChange(listener: SupergraphListener): () => void;
  stop(): void;
}

type SupergraphListener = (sdl: string) => void | Promise<void>;

/** The common part of all sources: it offers each new SDL to the listeners, and keeps the accepted one. */
export class OfferedSupergraph {
  private accepted: string;
  private offered: string;
  private isOffering = false;
  private readonly listeners = new Set<SupergraphListener>();
  private readonly log: Logger;

  constructor(first: string, log: Logger) {
    this.accepted = first;
    this.offered = first;
    this.log = log;
  }

  get current(): string {
    return this.accepted;
  }

  onChange(listener: SupergraphListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Returns at once. A refused SDL is not offered again unless there was another one in between. */
  offer(sdl: string, origin: string): void {
    if (sdl === this.offered) return;
    this.offered = sdl;
    if (!this.isOffering) void this.offerLatest(origin);
  }

  private async offerLatest(origin: string): Promise<void> {
    this.isOffering = true;
    let tried = this.accepted;
    while (tried !== this.offered) {
      tried = this.offered;
      if (tried !== this.accepted) await this.notify(tried, origin);
    }
    this.isOffering = false;
  }

  private async notify(sdl: string, origin: string): Promise<void> {
    try {
      for (const listener of this.listeners) await listener(sdl);
      this.accepted = sdl;
      this.log.info({ origin }, 'another supergraph is served from now on');
    } catch (error) {
      this.log.error({ origin, err: error }, 'this supergraph cannot be used; the previous one stays');
    }
  }
}
