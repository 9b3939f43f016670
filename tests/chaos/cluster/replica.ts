import { mkdirSync } from 'node:fs';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../../support/process.ts';
import type { Reaper } from './reaper.ts';

export const SERVERS = [...SERVICE_NAMES, 'gateway'] as const;
export type ServerName = ServiceName | 'gateway';

/** One process with a replica of every service and of the gateway, which can be killed, suspended and started again. */
export class Replica {
  readonly index: number;
  private readonly env: Record<string, string>;
  private readonly reaper: Reaper;
  private process: StartedProcess | undefined;
  private readonly onPorts: (ports: ReadonlyMap<ServerName, number>) => void;

  constructor(
    index: number,
    env: Record<string, string>,
    reaper: Reaper,
    onPorts: (ports: ReadonlyMap<ServerName, number>) => void,
  ) {
    this.index = index;
    this.env = env;
    this.reaper = reaper;
    this.onPorts = onPorts;
    mkdirSync(env.DATA_DIR!, { recursive: true });
  }

  /** Starts the process, waits until its servers are ready, and reports their ports. */
  async start(): Promise<void> {
    const started = startProcess([], { ...ANY_PORTS, ...this.env });
    this.process = started;
    this.reaper.register(started.child);
    await started.printed(/Ready after/);
    const ports = new Map<ServerName, number>();
    for (const [, name, port] of started.output().matchAll(/^ {2}(\w+) +http:\/\/[^:]+:(\d+)/gm))
      ports.set(name as ServerName, Number(port));
    this.onPorts(ports);
  }

  /** Starts the process, up to 20 times: the database or Redis may refuse the start, or a port may have been taken. */
  async startUntilReady(): Promise<void> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.start();
      } catch (error) {
        if (attempt === 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
  }

  /** Ends the process and returns its exit code, null after a kill. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const ended = this.process;
    if (!ended) return null;
    const code = await ended.end(signal);
    this.process = undefined;
    return code;
  }

  suspend(): void {
    this.process?.child.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.child.kill('SIGCONT');
  }

  kill(): void {
    this.process?.child.kill('SIGKILL');
  }
}
