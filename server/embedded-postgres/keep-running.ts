import { setTimeout as sleep } from 'node:timers/promises';
import { stopLeftOver, type Cluster } from './cluster.ts';
import type { ServerProcess } from './server-process.ts';

interface RunningServer {
  current(): ServerProcess;
  /** Stops the server and does not restart it. */
  stop(): Promise<void>;
}

interface KeepRunningOptions {
  cluster: Cluster;
  /** `reusedPid`: the process number in postmaster.pid, if that number now belongs to another program. */
  start(reusedPid: number | undefined): Promise<ServerProcess>;
  onLog(line: string): void;
}

/** Restarts a server that ends unexpectedly. Its connections are lost; pools open new ones. */
export function keepRunning(first: ServerProcess, options: KeepRunningOptions): RunningServer {
  let server = first;
  let stopping = false;
  const supervision = supervise();

  return {
    current: () => server,
    async stop() {
      stopping = true;
      await server.stop();
      await supervision;
    },
  };

  async function supervise(): Promise<void> {
    for (;;) {
      const reason = await server.ended;
      if (stopping) return;
      options.onLog(`The embedded PostgreSQL ended unexpectedly and is started again. ${reason}`);
      const next = await startAgain();
      if (next === undefined) return;
      server = next;
      // If `stop` was called while this server was starting, it has stopped only the previous one.
      if (stopping) return next.stop();
    }
  }

  async function startAgain(): Promise<ServerProcess | undefined> {
    for (let pauseMillis = 100; !stopping; pauseMillis = Math.min(pauseMillis * 2, 5_000)) {
      try {
        const { reusedPid } = await stopLeftOver(options.cluster);
        return await options.start(reusedPid);
      } catch (error) {
        options.onLog(`The embedded PostgreSQL could not be started again: ${(error as Error).message}`);
        await sleep(pauseMillis, undefined, { ref: false });
      }
    }
    return undefined;
  }
}
