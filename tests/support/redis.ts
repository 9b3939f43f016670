import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClient } from 'redis';
import { freePort } from '#server/http/free-ports.ts';

/** Whether this machine has a redis-server; otherwise tests that need it are skipped. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** A redis-server that the test can restart and kill. */
export interface OwnRedis {
  url: string;
  /** Kills the server and starts it again without data. */
  restart(): Promise<void>;
  /** Suspends the server: until `resume`, it answers no command and closes no connection. */
  hang(): void;
  resume(): void;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<OwnRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await start(port);
  const stop = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    url,
    async restart() {
      await stop();
      server = await start(port);
    },
    hang: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    stop,
  };
}

async function start(port: number): Promise<ChildProcess> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'squad-redis-'));
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir],
    { stdio: 'ignore' },
  );
  const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: 20 } });
  client.on('error', () => undefined);
  await client.connect();
  await client.ping();
  client.destroy();
  return server;
}
