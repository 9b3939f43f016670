import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import type { DatabaseServer } from '../../server/database/database-server.ts';

/** A TCP address of a PostgreSQL server, at which a test can break connections. */
export interface DatabaseProxy {
  host: string;
  port: number;
  /**
   * Lets PostgreSQL carry out the next statement with this text, and closes the connection instead of sending the answer.
   */
  loseAnswerTo(text: string): void;
  /** Closes all connections, and refuses new ones until `accept`. */
  refuse(): void;
  accept(): void;
  /** Holds back what PostgreSQL sends over open and new connections, until `release`. */
  hold(): HeldData;
  /** How many sockets are open: two for each connection. */
  readonly sockets: number;
  /** How many connections were opened so far. */
  readonly opened: number;
  stop(): Promise<void>;
}

interface HeldData {
  /** How many chunks are held back. */
  readonly chunks: number;
  release(): void;
}

export async function startDatabaseProxy(server: DatabaseServer): Promise<DatabaseProxy> {
  const open = new Set<Socket>();
  let lost: string | undefined;
  let isRefusing = false;
  let opened = 0;
  let held: (() => void)[] | undefined;
  const proxy = createServer((client) => {
    if (isRefusing) return client.resetAndDestroy();
    opened += 1;
    const upstream = connectTo(server);
    let isLosing = false;
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        open.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      if (lost !== undefined && data.includes(lost)) {
        lost = undefined;
        isLosing = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isLosing) end();
      else if (held) held.push(() => client.write(data));
      else client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    host: '127.0.0.1',
    port: (proxy.address() as AddressInfo).port,
    loseAnswerTo: (text) => (lost = text),
    refuse() {
      isRefusing = true;
      for (const socket of open) socket.destroy();
    },
    accept: () => (isRefusing = false),
    hold() {
      const sends: (() => void)[] = [];
      held = sends;
      return {
        get chunks() {
          return sends.length;
        },
        release() {
          held = undefined;
          for (const send of sends) send();
        },
      };
    },
    get sockets() {
      return open.size;
    },
    get opened() {
      return opened;
    },
    async stop() {
      for (const socket of open) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

function connectTo(server: DatabaseServer): Socket {
  if ('socketDir' in server) return connect(path.join(server.socketDir, '.s.PGSQL.5432'));
  const url = new URL(server.url.replace('@/', '@localhost/'));
  const folder = url.searchParams.get('host');
  if (folder) return connect(path.join(folder, `.s.PGSQL.${url.port || 5432}`));
  return connect(Number(url.port || 5432), url.hostname);
}
