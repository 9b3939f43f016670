import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startProcess, type StartedProcess } from '../../tests/support/process.ts';
import { cpuMillisOf, freePort, memoryMibOf } from '../gateway/processes.ts';

const SERVICES = ['identity', 'gym', 'wizard', 'nutrition', 'content', 'squad'];

/** Milliseconds of processor time since the start. */
export interface Cpu {
  readonly gateway: number;
  readonly services: number;
  readonly database: number;
}

/** A platform with a database of its own: the six services in one process, the gateway in another. */
export interface MeasuredPlatform {
  /** Of the gateway. */
  readonly url: string;
  cpu(): Cpu;
  /** Of the gateway, in MiB. */
  memoryMib(): number;
  stop(): Promise<void>;
}

/**
 * Programs are relative to the root of the repository, or absolute paths in another checkout.
 * @param program starts the services
 * @param gatewayProgram starts the gateway if it gets the argument `gateway`
 */
export async function startMeasuredPlatform(
  program = 'main.ts',
  gatewayProgram = program,
): Promise<MeasuredPlatform> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'bench-platform-'));
  const ports = Object.fromEntries(
    await Promise.all([...SERVICES, 'gateway', 'own'].map(async (name) => [name, await freePort()] as const)),
  ) as Record<string, number>;
  const common = { DATA_DIR: dataDir, HOST: '127.0.0.1', RATE_LIMITS: 'off', DEMO: 'on', LOG_LEVEL: 'info' };
  const servicePorts = [...SERVICES, 'gateway'].map((name) => [
    `${name.toUpperCase()}_PORT`,
    String(ports[name]),
  ]);
  const started: StartedProcess[] = [];
  const stop = async () => {
    for (const one of started.toReversed()) await one.end();
    await rm(dataDir, { recursive: true, force: true });
  };
  const startAndAwait = async (ready: RegExp, ...start: Parameters<typeof startProcess>) => {
    const one = startProcess(...start);
    started.push(one);
    try {
      await one.printed(ready);
    } catch (error) {
      await stop();
      throw error;
    }
    return one.child.pid ?? 0;
  };
  const servicesPid = await startAndAwait(
    /Ready after/,
    [],
    { ...common, ...Object.fromEntries(servicePorts) },
    program,
  );
  const urls = SERVICES.map((name) => [`${name.toUpperCase()}_URL`, `http://127.0.0.1:${ports[name]}`]);
  const gatewayPid = await startAndAwait(
    /ready/i,
    ['gateway'],
    { ...common, ...Object.fromEntries(urls), GATEWAY_PORT: String(ports.own) },
    gatewayProgram,
  );
  const [file = ''] = globSync(path.join(dataDir, '**/postmaster.pid'));
  const databasePid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const isCountedTwice = isBelow(servicesPid, databasePid);
  return {
    url: `http://127.0.0.1:${ports.own}`,
    cpu() {
      const database = cpuMillisOf(databasePid);
      const all = cpuMillisOf(servicesPid);
      return {
        gateway: cpuMillisOf(gatewayPid),
        services: isCountedTwice ? all - database : all,
        database,
      };
    },
    memoryMib: () => memoryMibOf(gatewayPid),
    stop,
  };
}

/** Whether a process is a descendant of another one. */
function isBelow(ancestor: number, process: number): boolean {
  for (let pid = process; pid > 1;) {
    if (pid === ancestor) return true;
    pid = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  }
  return false;
}
