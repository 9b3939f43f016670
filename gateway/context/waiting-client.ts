/**
 * A reference to a call that clients wait for. A client keeps this instead of the call until its own response is written:
 * a finished call would keep its answer in memory for as long.
 *
 * Written for speed: without the reference the garbage collector has twice the work (`npm run bench -- "platform small"`).
 */
export interface AwaitedCall {
  /** Undefined once the call has ended. */
  call: { removeWaiter(): void } | undefined;
}

/** The client of one request while it waits for the response. If it leaves, its calls to subgraphs end. */
export class WaitingClient {
  private isGone = false;
  private awaited: AwaitedCall[] | undefined;

  get hasLeft(): boolean {
    return this.isGone;
  }

  waitFor(awaited: AwaitedCall): void {
    if (this.awaited) this.awaited.push(awaited);
    else this.awaited = [awaited];
  }

  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    for (const { call } of this.awaited ?? []) call?.removeWaiter();
  }
}

/** All clients that waited for the answer have left. */
export class ClientLeftError extends Error {
  constructor() {
    super('the client has left');
  }
}
