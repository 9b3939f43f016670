/**
 * A call that clients wait for. A client keeps this instead of the call itself until its own answer is out: a call that is
 * over would keep its answer in memory for as long, which doubles the garbage collector's work (`npm run bench`).
 */
export interface AwaitedCall {
  /** Undefined as soon as the call is over. */
  call: { leave(): void } | undefined;
}

/** The client of one request, as long as it waits for the answer. Its calls to subgraphs end when it leaves. */
export class WaitingClient {
  private isGone = false;
  private awaited: AwaitedCall[] | undefined;

  get hasLeft(): boolean {
    return this.isGone;
  }

  waitsFor(awaited: AwaitedCall): void {
    if (this.awaited) this.awaited.push(awaited);
    else this.awaited = [awaited];
  }

  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    for (const { call } of this.awaited ?? []) call?.leave();
  }
}

/** Nobody waits for the answer. */
export class ClientLeftError extends Error {
  constructor() {
    super('the client has left');
  }
}
