import type { Droppable } from '../tuned-for-v8/droppable.ts';

/** A call that ends early if all clients that wait for it leave. */
type AwaitedCall = Droppable<{ removeWaiter(): void }>;

/** The client of one request while it waits for the response. If it leaves, its calls to subgraphs end. */
export class WaitingClient {
  private left = false;
  private awaited: AwaitedCall[] | undefined;

  get hasLeft(): boolean {
    return this.left;
  }

  waitFor(call: AwaitedCall): void {
    (this.awaited ??= []).push(call);
  }

  leave(): void {
    if (this.left) return;
    this.left = true;
    for (const { target } of this.awaited ?? []) target?.removeWaiter();
  }
}

/** The error of a call that ended because all clients that waited for it have left. */
export class ClientLeftError extends Error {
  constructor() {
    super('the client has left');
  }
}
