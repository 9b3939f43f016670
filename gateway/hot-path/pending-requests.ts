import type { Socket } from 'node:net';

/**
 * Which requests of each connection have no answer yet: more than one only if the client sends the next before it has the
 * answer (pipelining).
 *
 * There is one listener a connection. A listener of each response, added before the operation runs, would do the same;
 * but with it three times as much of every request survives the collections of young objects (`npm run bench`, workloads
 * with sharing).
 */
export class PendingRequests<Request> {
  private readonly byConnection = new Map<Socket, Request[]>();
  private readonly onClientLeft: (request: Request) => void;

  /** @param onClientLeft called for each request whose connection closes before `end` */
  constructor(onClientLeft: (request: Request) => void) {
    this.onClientLeft = onClientLeft;
  }

  begin(connection: Socket, request: Request): void {
    const known = this.byConnection.get(connection);
    if (known) return void known.push(request);
    // Its event has been emitted already, so no listener would be called.
    if (connection.destroyed) return this.onClientLeft(request);
    const requests = [request];
    this.byConnection.set(connection, requests);
    connection.once('close', () => {
      this.byConnection.delete(connection);
      for (const unanswered of requests) this.onClientLeft(unanswered);
    });
  }

  /** The answer is about to be written. @returns false if the client has left */
  end(connection: Socket, request: Request): boolean {
    const requests = this.byConnection.get(connection);
    if (!requests) return false;
    if (requests.at(-1) === request) requests.pop();
    else requests.splice(requests.indexOf(request), 1);
    return true;
  }
}
