import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '#server/http/free-ports.ts';
import { cpuMillisOf, memoryMibOf, start } from '../gateway/processes.ts';

const SERVICES = ['identity', 'gym', 'wizard', 'nutrition', 'content', 'squad'] as const;
type Service = (typeof SERVICES)[number];

/** Milliseconds of processor time so far. */
export interface PlatformCpu {
  readonly gateway: number;
  readonly services: number;
  readonly database: number;
}

/** A platform with demo data and without rate limits, whose parts' processor times can be read separately. */
export interface RunningPlatform {
  readonly url: string;
  /** The URL of a service's own port. */
  urlOf(service: Service): string;
  cpu(): PlatformCpu;
  gatewayMemoryMib(): number;
  stop(): Promise<void>;
}

interface PlatformOptions {
  /** The folder of the code. Default: this one. */
  readonly tree?: string;
  /** Options of both processes, e.g. `--cpu-prof`. Default: none. */
  readonly nodeOptions?: readonly string[];
  /** The program in `tree` that starts the services. Default: `main.ts`. */
  readonly servicesProgram?: string;
  /** Settings in addition to those of all measurements. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the six services and their database as one process and its children, and the gateway as another process. */
export async function startPlatform({
  tree = path.join(import.meta.dirname, '../..'),
  nodeOptions = [],
  servicesProgram = 'main.ts',
  env = {},
}: PlatformOptions = {}): Promise<RunningPlatform> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'bench-platform-'));
  const ports = Object.fromEntries(
    await Promise.all([...SERVICES, 'gateway', 'own'].map(async (name) => [name, await freePort()] as const)),
  ) as Record<Service | 'gateway' | 'own', number>;
  const common = {
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    RATE_LIMITS: 'off',
    DEMO: 'on',
    DEMO_HISTORY: 'off',
    LOG_LEVEL: 'info',
    ...env,
  };
  const portSettings = Object.entries(ports).map(([name, port]) => [
    `${name.toUpperCase()}_PORT`,
    String(port),
  ]);
  const urlOf = (service: Service) => `http://127.0.0.1:${ports[service]}`;
  const services = await start([...nodeOptions, servicesProgram], {
    cwd: tree,
    env: { ...common, ...Object.fromEntries(portSettings) },
    ready: /Ready after/,
  });
  const gateway = await start([...nodeOptions, 'main.ts', 'gateway'], {
    cwd: tree,
    env: {
      ...common,
      ...Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_URL`, urlOf(name)])),
      GATEWAY_PORT: String(ports.own),
    },
    ready: /ready/i,
  });
  return {
    url: `http://127.0.0.1:${ports.own}`,
    urlOf,
    cpu: () => cpuOf(gateway.pid, services.pid, dataDir),
    gatewayMemoryMib: () => memoryMibOf(gateway.pid),
    async stop() {
      await gateway.stop();
      await services.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function cpuOf(gateway: number, services: number, dataDir: string): PlatformCpu {
  const [file = ''] = globSync(path.join(dataDir, '**/postmaster.pid'));
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return {
    gateway: cpuMillisOf(gateway),
    // The database is left out of the sum. If it were subtracted afterwards, a process of the database that ends between the
    // two readings would make the result wrong.
    services: cpuMillisOf(services, postmaster),
    database: cpuMillisOf(postmaster),
  };
}
