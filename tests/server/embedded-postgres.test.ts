import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import {
  DataFolderInUseError,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '#server/embedded-postgres/embedded-postgres.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'fitness-embedded-'));
const newlyMade = path.join(root, 'newly-made');
/** The data folder of the current test. */
const folder = path.join(root, 'data');
const running: { stop(): Promise<void> }[] = [];

// Creating a cluster takes a second or two; copying one is fast.
beforeAll(async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: newlyMade });
  await postgres.stop();
});

beforeEach(() => {
  execFileSync('cp', ['-a', newlyMade, folder]); // with owners, which Node's cp does not keep
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

afterAll(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

describe('the embedded PostgreSQL', () => {
  it('keeps its data after a stop, and leaves neither process nor socket behind', async () => {
    const first = await start();
    await query(first, 'create table entry (number int)');
    await query(first, 'insert into entry values (42)');
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    expect(fs.existsSync(first.socketDir)).toBe(false);

    const second = await start();
    expect(await query(second, 'select number from entry')).toEqual([{ number: 42 }]);
  });

  it('writes to disk, checks its pages, and opens no TCP port', async () => {
    const settings = await query(
      await start(),
      `select name, setting from pg_settings where name in
       ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses') order by name`,
    );
    expect(settings).toEqual([
      { name: 'data_checksums', setting: 'on' },
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
  });

  it('can be stopped although PostgreSQL ends just before the stop would end it at once', async () => {
    const postgres = await start();
    jest.useFakeTimers();
    try {
      const stopped = postgres.stop();
      process.kill(postgres.pid, 'SIGKILL');
      // Node is busy, as after a pause of the machine: the time limit runs out before Node has noticed the end.
      while (isAlive(postgres.pid));
      jest.advanceTimersByTime(30_000);
      jest.useRealTimers();
      await stopped;
    } finally {
      jest.useRealTimers();
    }
    expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('refuses a second start on its folder in the same process, and keeps running', async () => {
    const first = await start();
    const failure: unknown = await start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DataFolderInUseError);
    expect((failure as Error).message).toContain(folder);
    expect((failure as Error).message).toContain(`process ${process.pid}`);
    expect((failure as Error).message).toMatch(/Stop that process.*DATA_DIR.*DATABASE_URL/);
    expect(await query(first, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('refuses a start while another process uses the folder, and starts at once after that process was killed', async () => {
    const writer = await startWriter();
    await expect(start()).rejects.toThrow(new RegExp(`in use by process ${writer.pid}\\b`));
    await writer.acknowledged(20); // the writer continues

    await writer.kill();
    const postgres = await start();
    await expectAll(postgres, writer.numbers);
  });

  it('loses no acknowledged row, however often its process is killed', async () => {
    const all: number[] = [];
    for (let round = 1; round <= 3; round++) {
      const writer = await startWriter();
      await writer.acknowledged(100 * round);
      await writer.kill();
      all.push(...writer.numbers);
    }
    const postgres = await start();
    await expectAll(postgres, all);
  });

  it('loses no acknowledged row when its process and PostgreSQL are killed together', async () => {
    const writer = await startWriter();
    await writer.acknowledged(200);
    process.kill(writer.postgresPid, 'SIGKILL');
    await writer.kill();
    const postgres = await start();
    await expectAll(postgres, writer.numbers);
  });

  it('restarts PostgreSQL at the same address if only PostgreSQL was killed', async () => {
    const postgres = await start();
    await query(postgres, 'create table entry (number int)');
    const before = postgres.pid;
    process.kill(before, 'SIGKILL');
    await until(() => postgres.pid !== before);
    expect(await query(postgres, 'select count(*)::int as entries from entry')).toEqual([{ entries: 0 }]);
  });

  it('ends if the process that started it ends without stopping it', async () => {
    const writer = await startWriter();
    process.kill(writer.pid, 'SIGTERM'); // Node's default: the process ends without running code
    await until(() => !isAlive(writer.postgresPid));
    expect(isAlive(writer.postgresPid)).toBe(false);
    await start(); // cleans up after it
  });

  it('starts although its PID file names a process that now belongs to another program', async () => {
    const writer = await startWriter();
    await writer.acknowledged(20);
    process.kill(writer.postgresPid, 'SIGKILL');
    await writer.kill();
    const pidFile = path.join(folder, 'cluster', 'postmaster.pid');
    const lines = fs.readFileSync(pidFile, 'utf8').split('\n');
    fs.writeFileSync(pidFile, [process.pid, ...lines.slice(1)].join('\n'));
    await expectAll(await start(), writer.numbers);
  });

  it('starts from the beginning if the first start was killed before its data was complete', async () => {
    const unfinished = path.join(folder, 'cluster.unfinished-0a1b2c3d');
    fs.renameSync(path.join(folder, 'cluster'), unfinished);
    fs.rmSync(path.join(unfinished, 'base'), { recursive: true });
    expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(fs.existsSync(unfinished)).toBe(false);
  });

  it('refuses data of another PostgreSQL version with a message that names the next step', async () => {
    const first = await start();
    await first.stop();
    fs.writeFileSync(path.join(folder, 'cluster', 'PG_VERSION'), '17\n');
    await expect(start()).rejects.toThrow(
      /written by PostgreSQL 17; the embedded one is 18.*Make a backup.*docs\/upgrading\.md/,
    );
    // The failed start has unlocked the folder, so that it can be repaired.
    fs.writeFileSync(path.join(folder, 'cluster', 'PG_VERSION'), '18\n');
    await start();
  });

  it('accepts a folder whose path is longer than a socket path may be', async () => {
    const dataDir = path.join(folder, 'a-rather-long-name-of-a-folder-'.repeat(5));
    expect(await query(await start({ dataDir }), 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

async function start(options?: Partial<EmbeddedPostgresOptions>): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, ...options });
  running.push(postgres);
  return postgres;
}

async function query(postgres: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ host: postgres.socketDir, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function expectAll(postgres: EmbeddedPostgres, acknowledged: number[]): Promise<void> {
  const rows = (await query(postgres, 'select number from entry')) as { number: number }[];
  const found = new Set(rows.map(({ number }) => number));
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.filter((number) => !found.has(number))).toEqual([]);
}

interface Writer {
  pid: number;
  postgresPid: number;
  /** The rows that were acknowledged so far. */
  numbers: number[];
  /** Resolves when that many rows were acknowledged. */
  acknowledged(count: number): Promise<void>;
  /** Kills the process by SIGKILL, and waits for the end of its output. */
  kill(): Promise<void>;
}

async function startWriter(): Promise<Writer> {
  const program = path.join(import.meta.dirname, '../support/programs/acknowledging-writer.ts');
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const numbers: number[] = [];
  let postgresPid = 0;
  let hasEnded = false;
  let changed = Promise.withResolvers<void>();
  const reportChange = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('ready ')) postgresPid = Number(line.slice('ready '.length));
    else numbers.push(Number(line));
    reportChange();
  });
  child.once('close', () => {
    hasEnded = true;
    reportChange();
  });
  const waitUntil = async (enough: () => boolean): Promise<void> => {
    while (!enough()) {
      if (hasEnded) throw new Error(`The writer has ended (${child.exitCode ?? child.signalCode}).`);
      await changed.promise;
    }
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    while (!hasEnded) await changed.promise;
  };
  running.push({ stop: kill });

  await waitUntil(() => postgresPid > 0);
  return {
    pid: child.pid!,
    postgresPid,
    numbers,
    acknowledged: (count) => waitUntil(() => numbers.length >= count),
    kill,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Polls, because Node has no event for the end of a process that is not its child. */
async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !condition();) {
    if (Date.now() > deadline) throw new Error('Expected a change within 10 s; there was none.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
