import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from '#server/embedded-postgres/binaries.ts';
import {
  createCluster,
  dataDirectoryArgument,
  PROGRAM_ENVIRONMENT,
} from '#server/embedded-postgres/cluster.ts';
import { systemUserFor } from '#server/embedded-postgres/system-user.ts';
import type { Endpoint } from './line.ts';
import type { Reaper } from './reaper.ts';
import { openSmallDisk, type SmallDisk } from './small-disk.ts';

/** Settings of both servers. Once there is a standby, a commit is acknowledged after the standby has written it. */
const SETTINGS = [
  'listen_addresses=',
  'max_connections=250',
  'shared_buffers=32MB',
  'wal_level=replica',
  'wal_keep_size=64MB',
  'max_wal_size=128MB',
  'max_wal_senders=4',
  'hot_standby=on',
  'wal_receiver_status_interval=1s',
  'wal_retrieve_retry_interval=100ms',
  // A killed process loses nothing that the kernel has; a flush to the disk would only make the run slower.
  'fsync=off',
  // The order of commits, by which the checker decides whether a location was ever too full.
  'track_commit_timestamp=on',
  'log_min_messages=warning',
];
const user = systemUserFor([]);

/** A PostgreSQL server, primary or standby, with a folder of its own. It listens at a Unix socket in that folder. */
export class PostgresNode {
  readonly name: string;
  readonly dir: string;
  readonly disk: SmallDisk;
  private readonly folder: string;
  private readonly reaper: Reaper;
  private child: ChildProcess | undefined;
  private log = '';

  constructor(parent: string, name: string, reaper: Reaper) {
    this.name = name;
    this.reaper = reaper;
    this.folder = path.join(parent, name);
    this.dir = path.join(this.folder, 'data');
    makeFolder(this.folder);
    this.disk = openSmallDisk(this.folder, user);
    if (this.disk.canBeFilled) reaper.unmountAtEnd(this.folder);
  }

  get endpoint(): Endpoint {
    return { path: path.join(this.folder, '.s.PGSQL.5432') };
  }

  /** The last lines of the server's log. */
  get lastLog(): string {
    return this.log.slice(-4_000);
  }

  /** Creates the data of a new primary. */
  initialise(): void {
    createCluster({ dir: this.dir, user }, findBinaries(user), { durable: false });
  }

  /** Starts the server and waits until it accepts connections. */
  async start(): Promise<void> {
    rmSync(path.join(this.dir, 'postmaster.pid'), { force: true });
    const settings = [...SETTINGS, `unix_socket_directories=${this.folder}`];
    const child = spawn(
      findBinaries(user).postgres,
      ['-D', dataDirectoryArgument({ dir: this.dir, user }), ...settings.flatMap((one) => ['-c', one])],
      { ...user, cwd: this.dir, env: PROGRAM_ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.child = child;
    this.reaper.register(child);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-20_000);
    });
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ${this.name} did not start:\n${this.lastLog}`);
      const accepts = await this.query('select 1').catch(() => undefined);
      if (accepts) return;
      await sleep(50);
    }
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits until the server accepts connections; starts it again if it has ended. */
  async ensureRunning(): Promise<void> {
    for (;;) {
      if (!this.isRunning) await this.start();
      if (await this.query('select 1').catch(() => undefined)) return;
      await sleep(100);
    }
  }

  /** Ends all processes of the server at once, without a checkpoint: the next start recovers from the write-ahead log. */
  async crash(): Promise<void> {
    await this.end('SIGQUIT');
  }

  /** The fast shutdown of PostgreSQL: it ends the connections and writes a checkpoint. */
  async stop(): Promise<void> {
    await this.end('SIGINT');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async query<Row extends pg.QueryResultRow>(
    text: string,
    { values = [], database = 'postgres' }: { values?: unknown[]; database?: string } = {},
  ): Promise<Row[]> {
    const client = new pg.Client({ host: this.folder, user: 'postgres', database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Replaces this node's data by a copy of a running primary, and makes this node its standby (low-level backup API). */
  async copyFrom(primary: PostgresNode): Promise<void> {
    rmSync(this.dir, { recursive: true, force: true });
    makeFolder(this.dir);
    const backup = new pg.Client({ host: primary.folder, user: 'postgres', database: 'postgres' });
    backup.on('error', () => undefined);
    await backup.connect();
    await backup.query(`select pg_backup_start('chaos', true)`);
    // The write-ahead log comes by streaming. Files that vanish during the copy are replayed from it, too.
    const copied = spawnSync('sh', [
      '-c',
      `cd "$1" && tar cf - --exclude=./pg_wal/* --exclude=postmaster.* . 2>/dev/null | tar xf - -C "$2"`,
      'sh',
      primary.dir,
      this.dir,
    ]);
    const { rows } = await backup.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await backup.end();
    if (copied.status !== 0) throw new Error(`The copy of ${primary.name} failed: ${String(copied.stderr)}`);
    this.writeServerFile('backup_label', rows[0]?.labelfile ?? '');
    this.writeServerFile('standby.signal', '');
    appendFileSync(
      path.join(this.dir, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${primary.folder} user=postgres application_name=${this.name}'\n`,
    );
    await this.start();
  }

  /** Makes a standby the primary. It waits for no standby until `requireStandby` is called. */
  async promote(): Promise<void> {
    appendFileSync(path.join(this.dir, 'postgresql.auto.conf'), `synchronous_standby_names = ''\n`);
    await this.query('select pg_reload_conf()');
    await this.query('select pg_promote(true, 60)');
  }

  /** Waits until the standby streams. From then on a commit is acknowledged after the standby has written it. */
  async requireStandby(): Promise<void> {
    for (;;) {
      const streaming = await this.query(`select 1 from pg_stat_replication where state = 'streaming'`);
      if (streaming.length > 0) break;
      await sleep(50);
    }
    await this.query(`alter system set synchronous_standby_names = '*'`);
    await this.query('select pg_reload_conf()');
  }

  /** Writes a file that belongs to the user of the server. */
  private writeServerFile(name: string, content: string): void {
    const file = path.join(this.dir, name);
    writeFileSync(file, content);
    if (user.uid !== undefined) chownSync(file, user.uid, user.gid);
  }
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
}
