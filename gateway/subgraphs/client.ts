/** A call that somebody waits for. */
export interface Awaited {
  /** One of those who wait for it has left. */
  leave(): void;
}

/** The client of one request, as long as it waits for the answer. Its calls to subgraphs end when it leaves. */
export class Client {
  private isGone = false;
  private awaited: Awaited[] | undefined;

  get hasLeft(): boolean {
    return this.isGone;
  }

  waitsFor(call: Awaited): void {
    if (this.awaited) this.awaited.push(call);
    else this.awaited = [call];
  }

  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    for (const call of this.awaited ?? []) call.leave();
  }
}

/** Nobody waits for the answer. */
export class ClientLeftError extends Error {
  constructor() {
    super('the client has left');
  }
}
