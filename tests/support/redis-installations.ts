import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#server/http/free-ports.ts';

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** Why a test that starts these programs is skipped; empty if it is not. */
export function whyWithout(...programs: string[]): string {
  const missing = programs.filter(
    (program) => !has(program, program === 'openssl' ? 'version' : '--version'),
  );
  return missing.length > 0 ? ` (skipped: ${missing.join(' and ')} not installed)` : '';
}

/** A redis-server, or a redis-sentinel, with a folder of its own. */
export class RedisProcess {
  readonly port: number;
  private readonly program: string;
  private readonly args: readonly string[];
  private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'own-redis-'));
  private readonly cliArgs: readonly string[];
  private process: ChildProcess | undefined;

  private constructor(program: string, port: number, args: readonly string[], cliArgs: readonly string[]) {
    this.program = program;
    this.port = port;
    this.args = args;
    this.cliArgs = cliArgs;
  }

  /** @param cliArgs arguments with which redis-cli can connect */
  static async start(args: readonly string[] = [], cliArgs: readonly string[] = []): Promise<RedisProcess> {
    const port = await freePort();
    // By default a master waits 5 s for further replicas before it sends its data to the first one.
    const replication = ['--repl-diskless-sync-delay', '0', '--repl-diskless-load', 'on-empty-db'];
    const common = ['--save', '', '--appendonly', 'no', ...replication];
    return new RedisProcess('redis-server', port, [...common, ...args], cliArgs).started();
  }

  static async startSentinel(master: RedisProcess, config: readonly string[]): Promise<RedisProcess> {
    const port = await freePort();
    const one = new RedisProcess('redis-sentinel', port, [], []);
    const lines = [
      `sentinel monitor own 127.0.0.1 ${master.port} 2`,
      'sentinel down-after-milliseconds own 500',
      'sentinel failover-timeout own 3000',
      'sentinel parallel-syncs own 1',
      ...config,
    ];
    writeFileSync(path.join(one.folder, 'sentinel.conf'), `${lines.join('\n')}\n`);
    return one.started();
  }

  private async started(): Promise<RedisProcess> {
    try {
      await this.restart();
      return this;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Starts the process for the first time, or again after `kill`; it has no data. */
  async restart(): Promise<void> {
    const isSentinel = this.program === 'redis-sentinel';
    const config = isSentinel ? [path.join(this.folder, 'sentinel.conf')] : [];
    const ports = this.args.includes('--tls-port') ? [] : ['--port', String(this.port)];
    const tls = this.args.includes('--tls-port') ? ['--port', '0'] : [];
    const args = this.args.map((arg) => (arg === '<port>' ? String(this.port) : arg));
    const all = [...config, ...ports, ...tls, '--bind', '127.0.0.1', '--dir', this.folder, ...args];
    this.process = spawn(this.program, all, { stdio: 'ignore' });
    const end = Date.now() + 120_000;
    for (;;) {
      const answer = spawnSync('redis-cli', this.cli('PING'), { encoding: 'utf8' }).stdout;
      if (answer.includes('PONG')) return;
      if (Date.now() > end) throw new Error(`${this.program} did not start: ${answer}`);
      await sleep(20);
    }
  }

  /** Runs a command by redis-cli. */
  command(...args: string[]): string {
    return execFileSync('redis-cli', this.cli(...args), { encoding: 'utf8' }).trim();
  }

  hang(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const { process } = this;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private cli(...args: string[]): string[] {
    return ['-h', '127.0.0.1', '-p', String(this.port), '--no-auth-warning', ...this.cliArgs, ...args];
  }
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  for (;;) {
    try {
      if (isTrue()) return;
    } catch {
      // redis-cli fails while the server is not ready
    }
    if (Date.now() > end) throw new Error(`${what} did not happen within 120 s`);
    await sleep(50);
  }
}

export interface SentinelInstallation {
  url: string;
  password: string;
  /** The current master, as the first sentinel names it. */
  master(): RedisProcess;
  sentinels: readonly RedisProcess[];
  stop(): Promise<void>;
}

/** A master with a replica, and three sentinels, with passwords. */
export async function startSentinels(): Promise<SentinelInstallation> {
  const password = 'pass@word:/1';
  const auth = ['--requirepass', password, '--masterauth', password];
  const cli = ['-a', password];
  const first = await RedisProcess.start(auth, cli);
  const second = await RedisProcess.start([...auth, '--replicaof', `127.0.0.1 ${first.port}`], cli);
  // The replica must be connected before the sentinels start, because they ask the master for its replicas only every 10 s.
  await until('the replica is connected', () =>
    /master_link_status:up/.test(second.command('INFO', 'replication')),
  );
  const config = [`sentinel auth-pass own ${password}`];
  const sentinels = await Promise.all([1, 2, 3].map(() => RedisProcess.startSentinel(first, config)));
  const servers = [first, second];
  const portOfMaster = () =>
    Number(sentinels[0]!.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'own').split('\n')[1]);
  await until('the sentinels know each other and the replica', () =>
    sentinels.every((one) => {
      const info = one.command('SENTINEL', 'MASTER', 'own').split('\n');
      const valueOf = (name: string) => Number(info[info.indexOf(name) + 1]);
      return valueOf('num-slaves') === 1 && valueOf('num-other-sentinels') === 2;
    }),
  );
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis+sentinel://:${encodeURIComponent(password)}@${hosts}/own`,
    password,
    master: () => servers.find(({ port }) => port === portOfMaster())!,
    sentinels,
    async stop() {
      await Promise.all([...sentinels, ...servers].map((one) => one.stop()));
    },
  };
}

export interface ClusterInstallation {
  url: string;
  /** Three masters; `replica` replicates the first one. */
  masters: readonly RedisProcess[];
  replica: RedisProcess;
  stop(): Promise<void>;
}

export async function startCluster(): Promise<ClusterInstallation> {
  const start = async () => {
    const busPort = String(await freePort());
    return RedisProcess.start([
      '--cluster-enabled',
      'yes',
      '--cluster-node-timeout',
      '1000',
      '--cluster-port',
      busPort,
      '--cluster-require-full-coverage',
      'no',
    ]);
  };
  const nodes = [await start(), await start(), await start(), await start()];
  const [first, second, third, replica] = nodes as [RedisProcess, RedisProcess, RedisProcess, RedisProcess];
  const masters = [first, second, third];
  const ranges = [
    ['0', '5460'],
    ['5461', '10922'],
    ['10923', '16383'],
  ];
  masters.forEach((node, at) => node.command('CLUSTER', 'ADDSLOTSRANGE', ...ranges[at]!));
  masters.forEach((node, at) => node.command('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1)));
  const busPortOf = (node: RedisProcess) => node.command('CONFIG', 'GET', 'cluster-port').split('\n')[1]!;
  for (const node of nodes.slice(1))
    first.command('CLUSTER', 'MEET', '127.0.0.1', String(node.port), busPortOf(node));
  await until('the nodes know each other', () =>
    nodes.every((node) => /cluster_known_nodes:4/.test(node.command('CLUSTER', 'INFO'))),
  );
  replica.command('CLUSTER', 'REPLICATE', first.command('CLUSTER', 'MYID'));
  await until('the cluster is complete', () =>
    nodes.every(
      (node) =>
        /cluster_state:ok/.test(node.command('CLUSTER', 'INFO')) &&
        /\bslave\b/.test(node.command('CLUSTER', 'NODES')),
    ),
  );
  await until('the replica is connected', () =>
    /master_link_status:up/.test(replica.command('INFO', 'replication')),
  );
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters,
    replica,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

export interface TlsInstallation {
  server: RedisProcess;
  password: string;
  files: { ca: string; cert: string; key: string; otherCa: string };
  stop(): Promise<void>;
}

/** A server with a certificate of its own authority, which requires a certificate of its clients, too. */
export async function startTlsServer(): Promise<TlsInstallation> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'redis-tls-'));
  const file = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = (name: string) =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    );
  const certificate = (name: string) => {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(file('names'), 'subjectAltName=DNS:redis.test');
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-extfile',
      'names',
    );
  };
  authority('ca');
  authority('other-ca');
  certificate('server');
  certificate('client');
  const password = 'tls-password';
  const client = ['--cacert', file('ca.crt'), '--cert', file('client.crt'), '--key', file('client.key')];
  const server = await RedisProcess.start(
    [
      '--tls-port',
      '<port>',
      '--tls-ca-cert-file',
      file('ca.crt'),
      '--tls-cert-file',
      file('server.crt'),
      '--tls-key-file',
      file('server.key'),
      '--tls-auth-clients',
      'yes',
      '--requirepass',
      password,
    ],
    ['--tls', '--insecure', ...client, '-a', password],
  );
  return {
    server,
    password,
    files: {
      ca: file('ca.crt'),
      cert: file('client.crt'),
      key: file('client.key'),
      otherCa: file('other-ca.crt'),
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
