import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Where a connection leads to: a TCP port or a Unix socket. */
export type Endpoint = { host: string; port: number } | { path: string };

/** Chooses the lines for a new connection: the first line whose endpoint accepts it is used. */
export type Route = () => readonly Line[];

/**
 * The network path to one endpoint. It can be slow, interrupted or silent. A silent path loses nothing: what is sent
 * meanwhile arrives later, as with TCP on a network that drops packets for some seconds.
 */
export class Line {
  endpoint: Endpoint;
  /** Milliseconds by which every chunk is delayed, in both directions. */
  delayMillis = 0;
  private silent = false;
  private readonly pairs = new Set<Pair>();

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  get isSilent(): boolean {
    return this.silent;
  }

  silence(): void {
    this.silent = true;
    for (const pair of this.pairs) pair.setSilent(true);
  }

  /** On open connections requests still arrive, but their answers do not; then call `cut`, which loses the answers. */
  holdAnswers(): void {
    for (const pair of this.pairs) pair.holdAnswers();
  }

  /** Ends silence and delay. */
  heal(): void {
    this.delayMillis = 0;
    this.silent = false;
    for (const pair of this.pairs) pair.setSilent(false);
  }

  /** Resets every open connection. */
  cut(): void {
    for (const pair of this.pairs) pair.reset();
  }

  /** Connects a client; false if the endpoint refuses the connection. */
  async accept(client: Socket): Promise<boolean> {
    // A silent network does not answer a SYN either. The client waits until it gives up or the line is healed.
    while (this.silent && !client.destroyed) await new Promise((resolve) => setTimeout(resolve, 50));
    const upstream = connect({ ...this.endpoint, noDelay: true });
    try {
      await once(upstream, 'connect');
    } catch {
      return false;
    }
    const pair = new Pair(client, upstream, () => this.delayMillis);
    this.pairs.add(pair);
    upstream.once('close', () => this.pairs.delete(pair));
    if (this.silent) pair.setSilent(true);
    return true;
  }
}

/** A client's connection and the one to the endpoint. Each of them ends with the other. */
class Pair {
  private readonly client: Socket;
  private readonly upstream: Socket;
  private isSilent = false;
  private holdsAnswers = false;

  constructor(client: Socket, upstream: Socket, delayMillis: () => number) {
    this.client = client;
    this.upstream = upstream;
    this.forward(client, upstream, delayMillis);
    this.forward(upstream, client, delayMillis);
    client.resume();
  }

  setSilent(isSilent: boolean): void {
    this.isSilent = isSilent;
    for (const socket of [this.client, this.upstream])
      if (isSilent) socket.pause();
      else socket.resume();
  }

  holdAnswers(): void {
    this.holdsAnswers = true;
    this.upstream.pause();
  }

  reset(): void {
    reset(this.client);
    reset(this.upstream);
  }

  private forward(from: Socket, to: Socket, delayMillis: () => number): void {
    let waiting: Promise<void> | undefined;
    const write = (chunk: Buffer): void => {
      if (to.destroyed) return;
      if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => {
          const isHeld = this.isSilent || (this.holdsAnswers && from === this.upstream);
          if (!isHeld) from.resume();
        });
      }
    };
    /** Runs `work` after everything that was received before, and after the delay. */
    const inTurn = (work: () => void): void => {
      const delay = delayMillis();
      if (delay === 0 && !waiting) return work();
      const due = new Promise<void>((resolve) => setTimeout(resolve, delay));
      const mine = Promise.all([waiting, due]).then(work);
      waiting = mine;
      void mine.finally(() => {
        if (waiting === mine) waiting = undefined;
      });
    };
    from.on('data', (chunk: Buffer) => inTurn(() => write(chunk)));
    from.on('end', () => inTurn(() => void to.end()));
    from.on('error', () => reset(to));
    from.on('close', () => inTurn(() => void to.destroy()));
  }
}

/**
 * Ends a connection at once, with a TCP reset if that is possible. A Unix socket has no reset. libuv refuses the reset of a
 * connection whose end is being sent; Node 24 then never closes it, and the process spins when it exits
 * (`TCPWrap::Reset`, `uv_tcp_close_reset`).
 */
function reset(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.remoteAddress && !socket.writableEnded) socket.resetAndDestroy();
  else socket.destroy();
}

/** A listening port that forwards each connection along a line. */
export interface Entrance {
  port: number;
  close(): Promise<void>;
}

/** @param port a fixed port; 0 chooses a free one */
export async function openEntrance(route: Route, port = 0): Promise<Entrance> {
  const clients = new Set<Socket>();
  const server: Server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: false });
  server.on('connection', (client) => {
    clients.add(client);
    client.on('error', () => client.destroy());
    client.once('close', () => clients.delete(client));
    void accept(client, route);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}

async function accept(client: Socket, route: Route): Promise<void> {
  for (const line of route()) if (await line.accept(client)) return;
  reset(client);
}
