import type { Socket } from 'node:net';

/**
 * The requests of each connection whose response is not written yet: more than one only if the client sends the next
 * request before it has the response (pipelining).
 *
 * Written for speed: one 'close' listener for each connection. A listener on each response, added before the operation runs,
 * does the same, but then three times as much of every request survives V8's collections of the young generation
 * (`npm run bench`, the workloads with sharing).
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
    // Its 'close' event was emitted already, so a listener would never be called.
    if (connection.destroyed) return this.onClientLeft(request);
    const requests = [request];
    this.byConnection.set(connection, requests);
    connection.once('close', () => {
      this.byConnection.delete(connection);
      for (const pending of requests) this.onClientLeft(pending);
    });
  }

  /** To be called before the response is written. @returns false if the client has left */
  end(connection: Socket, request: Request): boolean {
    const requests = this.byConnection.get(connection);
    if (!requests) return false;
    if (requests.at(-1) === request) requests.pop();
    else requests.splice(requests.indexOf(request), 1);
    return true;
  }
}
