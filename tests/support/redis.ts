import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
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
  const folder = await mkdtemp(path.join(os.tmpdir(), 'squad-redis-'));
  let server = await start(port, folder);
  const end = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    url,
    async restart() {
      await end();
      server = await start(port, folder);
    },
    hang: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(port: number, folder: string): Promise<ChildProcess> {
  await mkdir(folder, { recursive: true }); // a server can be started again after `stop`, which removes the folder
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    { stdio: 'ignore' },
  );
  const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: 20 } });
  client.on('error', () => undefined);
  await client.connect();
  await client.ping();
  client.destroy();
  return server;
}
