import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer, type Socket } from 'node:net';

/** How often a stop looks for connections that have become idle. */
const CHECK_MILLIS = 50;

/**
 * The TCP connections of an HTTP server, for a stop that cuts off no answer.
 *
 * `closeIdleConnections` of Node, which its `close` calls, does not fit: for it a connection is idle as soon as the request
 * has been read and the whole answer has been written to the stream, although the client may not have read it all yet.
 */
export class ClientConnections {
  private readonly server: Server;
  private readonly open = new Set<HttpSocket>();
  /** Connections that became WebSockets. They are closed by their endpoint, at the end of the grace period at the latest. */
  private readonly upgraded = new Set<Socket>();
  private isDraining = false;

  constructor(server: Server) {
    this.server = server;
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => {
        this.open.delete(socket);
        this.upgraded.delete(socket);
      });
    });
    server.prependListener('upgrade', ({ socket }) => {
      if (this.open.delete(socket)) this.upgraded.add(socket);
    });
  }

  /**
   * From now on each answer closes its connection, so that its client opens the next one elsewhere. Requests are still
   * accepted.
   */
  drain(): void {
    if (this.isDraining) return;
    this.isDraining = true;
    for (const socket of this.open) {
      const answer = answerOn(socket);
      if (answer && !answer.headersSent) answer.shouldKeepAlive = false;
    }
    this.server.prependListener('request', (req, res: ServerResponse) => {
      res.shouldKeepAlive = false;
      req.headers.connection = 'close'; // for doors that write the header themselves
    });
  }

  /**
   * Accepts no new connections, and closes each connection as soon as its answer is sent; after `gracePeriodMillis` it
   * closes those that remain.
   */
  async close(gracePeriodMillis: number): Promise<void> {
    if (!this.server.listening) return;
    this.drain();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    TcpServer.prototype.close.call(this.server, () => resolve());
    const closeIdle = (): void => {
      for (const socket of this.open) if (!answerOn(socket)) socket.destroy();
    };
    closeIdle();
    const idle = setInterval(closeIdle, CHECK_MILLIS);
    const late = setTimeout(() => {
      for (const socket of [...this.open, ...this.upgraded]) socket.destroy();
    }, gracePeriodMillis);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    this.server.close(); // ends Node's timer for slow requests
  }
}

type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** The response that is not sent yet: Node stores it from the request to the moment at which the last byte is sent. */
const answerOn = ({ _httpMessage: answer }: HttpSocket): ServerResponse | null | undefined => answer;
