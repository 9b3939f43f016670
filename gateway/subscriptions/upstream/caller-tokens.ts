import type { GatewayContext } from '../../context/gateway-context.ts';

/**
 * The tokens of the subscribers that share an upstream subscription or an execution; the gateway sends requests for all of
 * them with the token of one of them. A token is removed if a subgraph refused it or its client has left, and is not used
 * after it has expired.
 */
export class CallerTokens {
  private readonly holders = new Map<object, GatewayContext>();
  private turns: Iterator<GatewayContext> = [][Symbol.iterator]();
  private longest: GatewayContext | undefined;
  private readonly removalListeners = new Set<(context: GatewayContext) => void>();

  get size(): number {
    return this.holders.size;
  }

  add(holder: object, context: GatewayContext): void {
    this.holders.set(holder, context);
    if (!this.longest || expiryOf(context) >= expiryOf(this.longest)) this.longest = context;
  }

  remove(holder: object): void {
    const context = this.holders.get(holder);
    this.holders.delete(holder);
    if (!context) return;
    if (this.longest === context) this.longest = undefined;
    for (const listener of this.removalListeners) listener(context);
  }

  /** Calls `listener` with each removed token. Returns a function that removes the listener. */
  onRemoved(listener: (context: GatewayContext) => void): () => void {
    this.removalListeners.add(listener);
    return () => void this.removalListeners.delete(listener);
  }

  /** Removes a token that a subgraph has refused, from all its holders. */
  removeRefused(context: GatewayContext): void {
    for (const [holder, held] of this.holders)
      if (held.authorization === context.authorization) this.remove(holder);
  }

  /** The token that expires last; undefined if all have expired. */
  get longestValid(): GatewayContext | undefined {
    if (!this.longest || expiryOf(this.longest) <= Date.now()) this.longest = this.findLongest();
    return this.longest;
  }

  /**
   * The next valid token, each in turn, so that the requests do not all count for the rate limit of one caller. Undefined
   * if all have expired.
   */
  next(): GatewayContext | undefined {
    for (let tries = 0; tries <= this.holders.size; tries += 1) {
      let turn = this.turns.next();
      if (turn.done) {
        this.turns = this.holders.values();
        turn = this.turns.next();
      }
      if (!turn.done && expiryOf(turn.value) > Date.now()) return turn.value;
    }
    return undefined;
  }

  private findLongest(): GatewayContext | undefined {
    let longest: GatewayContext | undefined;
    for (const context of this.holders.values())
      if (expiryOf(context) > Date.now() && (!longest || expiryOf(context) >= expiryOf(longest)))
        longest = context;
    return longest;
  }
}

/** Milliseconds since 1970; infinite for an anonymous viewer, who has no token. */
const expiryOf = ({ viewer }: GatewayContext): number =>
  viewer.kind === 'anonymous' ? Number.POSITIVE_INFINITY : viewer.expiresAt;
