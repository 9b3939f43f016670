import type { GatewayContext } from '../../context/gateway-context.ts';

/**
 * Those in whose name is asked for what a scope shares: the clients that listen, each with its token. A token that has
 * expired, that a subgraph refused, or whose client has left is not used any more.
 */
export class CallerTokens {
  private readonly holders = new Map<object, GatewayContext>();
  private turns: Iterator<GatewayContext> = [][Symbol.iterator]();
  private latest: GatewayContext | undefined;
  private readonly onGone = new Set<(context: GatewayContext) => void>();

  get size(): number {
    return this.holders.size;
  }

  add(holder: object, context: GatewayContext): void {
    this.holders.set(holder, context);
    if (!this.latest || endOf(context) >= endOf(this.latest)) this.latest = context;
  }

  remove(holder: object): void {
    const context = this.holders.get(holder);
    this.holders.delete(holder);
    if (!context) return;
    if (this.latest === context) this.latest = undefined;
    for (const listener of this.onGone) listener(context);
  }

  /** Calls `listener` with each that may not be used any more. Returns what ends it. */
  whenGone(listener: (context: GatewayContext) => void): () => void {
    this.onGone.add(listener);
    return () => void this.onGone.delete(listener);
  }

  /** A subgraph does not take this one. */
  refuse(context: GatewayContext): void {
    for (const [holder, held] of this.holders)
      if (held.authorization === context.authorization) this.remove(holder);
  }

  /** The one that holds the longest; undefined where there is none that holds. */
  get lasting(): GatewayContext | undefined {
    if (!this.latest || endOf(this.latest) <= Date.now()) this.latest = this.longest();
    return this.latest;
  }

  /** Another one each time, so that no single caller's rate limit pays for all. */
  next(): GatewayContext | undefined {
    for (let tries = 0; tries <= this.holders.size; tries += 1) {
      let turn = this.turns.next();
      if (turn.done) {
        this.turns = this.holders.values();
        turn = this.turns.next();
      }
      if (!turn.done && endOf(turn.value) > Date.now()) return turn.value;
    }
    return undefined;
  }

  private longest(): GatewayContext | undefined {
    let longest: GatewayContext | undefined;
    for (const context of this.holders.values())
      if (endOf(context) > Date.now() && (!longest || endOf(context) >= endOf(longest))) longest = context;
    return longest;
  }
}

/** In milliseconds since 1970. */
const endOf = ({ viewer }: GatewayContext): number =>
  viewer.kind === 'anonymous' ? Number.POSITIVE_INFINITY : viewer.expiresAt;
