import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { freePort } from '#server/http/free-ports.ts';
import { Line, openEntrance } from './line.ts';
import type { Reaper } from './reaper.ts';

interface RedisNode {
  port: number;
  process: ChildProcess;
}

/** A redis-server with an asynchronous replica, and one address for each replica of the platform. */
export interface RedisPair {
  urls: readonly string[];
  lines: readonly Line[];
  /**
   * Stops the replication, and waits `tailMillis`, in which the replica misses what is written. Then ends the server, waits
   * `downMillis`, and makes the replica the server. A new replica follows in the background.
   */
  failOver(tailMillis: number, downMillis: number): Promise<void>;
  /** Suspends the server for `millis`: it answers nothing and closes no connection. */
  hang(millis: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedisPair(folder: string, replicas: number, reaper: Reaper): Promise<RedisPair> {
  mkdirSync(folder, { recursive: true });
  let started = 0;
  const start = async (more: readonly string[] = []): Promise<RedisNode> => {
    started += 1;
    const node = await startNode(path.join(folder, String(started)), more);
    reaper.register(node.process);
    return node;
  };
  const replicaOf = async ({ port }: RedisNode): Promise<RedisNode> => {
    const node = await start(['--repl-diskless-load', 'on-empty-db', '--replicaof', `127.0.0.1 ${port}`]);
    await linked(node);
    return node;
  };
  let primary = await start();
  let replica = replicaOf(primary);
  await replica;
  const lines = Array.from({ length: replicas }, () => new Line(endpointOf(primary)));
  const entrances = await Promise.all(lines.map((line) => openEntrance(() => [line])));
  return {
    urls: entrances.map(({ port }) => `redis://127.0.0.1:${port}`),
    lines,
    async failOver(tailMillis, downMillis) {
      const next = await replica;
      next.process.kill('SIGSTOP');
      await sleep(tailMillis);
      await endNode(primary);
      for (const line of lines) line.cut();
      await sleep(downMillis);
      next.process.kill('SIGCONT');
      await command(next, ['REPLICAOF', 'NO', 'ONE']);
      primary = next;
      for (const line of lines) {
        line.endpoint = endpointOf(primary);
        line.cut();
      }
      replica = replicaOf(primary);
      replica.catch(() => undefined); // reported by the next use
    },
    async hang(millis) {
      primary.process.kill('SIGSTOP');
      await sleep(millis);
      primary.process.kill('SIGCONT');
    },
    async stop() {
      await Promise.all(entrances.map((entrance) => entrance.close()));
      const last = await replica.catch(() => undefined); // a replica that starts needs the server until it is connected
      await Promise.all([endNode(primary), last && endNode(last)]);
    },
  };
}

const endpointOf = ({ port }: RedisNode) => ({ host: '127.0.0.1', port });

async function startNode(dir: string, more: readonly string[]): Promise<RedisNode> {
  mkdirSync(dir, { recursive: true });
  const port = await freePort();
  const process = spawn(
    'redis-server',
    [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      // By default a server waits 5 s for further replicas before it sends its data to the first one.
      '--repl-diskless-sync-delay',
      '0',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      dir,
      ...more,
    ],
    { stdio: 'ignore' },
  );
  const node = { port, process };
  while ((await command(node, ['PING']).catch(() => undefined)) !== 'PONG') {
    if (process.exitCode !== null) return startNode(`${dir}-again`, more); // the port was taken in the meantime
    await sleep(20);
  }
  return node;
}

/** How long a new replica may take until it is connected. */
const LINK_MILLIS = 20_000;

async function linked(node: RedisNode): Promise<void> {
  const until = Date.now() + LINK_MILLIS;
  while (!/master_link_status:up/.test(String(await command(node, ['INFO', 'replication'])))) {
    if (Date.now() > until)
      throw new Error(`The replica of Redis was not connected within ${LINK_MILLIS} ms.`);
    await sleep(20);
  }
}

async function endNode({ process }: RedisNode): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

async function command({ port }: RedisNode, args: string[]): Promise<unknown> {
  const client = createClient({
    url: `redis://127.0.0.1:${port}`,
    socket: { reconnectStrategy: false, connectTimeout: 2_000 },
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand(args);
  } finally {
    client.destroy();
  }
}
