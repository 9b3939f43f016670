import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '#server/http/free-ports.ts';
import type { DatabaseServer } from '../../server/database/database-server.ts';

/** Whether this machine has PgBouncer; otherwise tests that need it are skipped. */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

/** A PgBouncer in front of a PostgreSQL server. */
export interface Pooler {
  /** PostgreSQL through the pooler as `url`, and without it as `directUrl`. */
  server: { url: string; directUrl: string };
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode: each transaction, and each statement outside of one, may run on another connection
 * to PostgreSQL.
 * @param settings of `[pgbouncer]` in addition to the usual ones
 */
export async function startPgBouncer(
  database: DatabaseServer,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Pooler> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'pgbouncer-'));
  chmodSync(dir, 0o755);
  const port = await freePort();
  const file = path.join(dir, 'pgbouncer.ini');
  writeFileSync(file, configuration(database, { listen_port: port, ...settings }));
  // PgBouncer refuses to run as root, and only the owner of the embedded server may use its socket.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn('pgbouncer', [file], { ...user, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      if (lines.length < 100) lines.push(line);
      if (/process up/.test(line)) resolve();
    });
    void ended.then(() => reject(new Error(`PgBouncer ended:\n${lines.join('\n')}`)));
  });
  const direct = 'url' in database ? database.url : socketUrl(database.socketDir);
  const pooled = new URL(direct.replace('@/', '@localhost/'));
  pooled.host = `127.0.0.1:${port}`;
  pooled.search = '';
  return {
    server: { url: pooled.href, directUrl: direct },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const socketUrl = (dir: string): string => `postgres://postgres@/postgres?host=${encodeURIComponent(dir)}`;

function configuration(
  database: DatabaseServer,
  settings: Readonly<Record<string, string | number>>,
): string {
  const { host, port, user, password } =
    'url' in database
      ? partsOf(database.url)
      : { host: database.socketDir, port: '5432', user: 'postgres', password: '' };
  const lines = {
    listen_addr: '127.0.0.1',
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    max_client_conn: 1_000,
    default_pool_size: 10,
    server_idle_timeout: 10, // s; tests use many databases
    log_connections: 0,
    log_disconnections: 0,
    ...settings,
  };
  return [
    '[databases]',
    `* = host=${host} port=${port} user=${user}${password && ` password=${password}`}`,
    '[pgbouncer]',
    ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n');
}

function partsOf(databaseUrl: string): { host: string; port: string; user: string; password: string } {
  const url = new URL(databaseUrl.replace('@/', '@localhost/'));
  return {
    host: url.searchParams.get('host') ?? url.hostname,
    port: url.port || '5432',
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}
