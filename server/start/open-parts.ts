import type { ClientConnections } from '../http/client-connections.ts';
import { urlAt } from '../http/listen.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';
import { stopInOrder, type StopStep } from '../stop-in-order.ts';

/** A server that has started. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /**
   * Readiness is 503 from now on, and each answer closes its connection, so that clients go to another replica. Everything
   * is still accepted.
   */
  drain(): void;
  /**
   * Finishes running requests, then closes the parts of the server. It always resolves: a part that is not closed in time
   * ends with the process.
   */
  stop(): Promise<void>;
  /** The names of the parts whose stop has begun and not ended. */
  unfinished(): string[];
}

/**
 * Starts a server. If a part cannot be opened, the parts that are open are closed.
 * @param open opens the parts one after the other; returns the port at which the server listens
 */
export async function startParts(
  log: Logger,
  { host }: Pick<ServerSettings, 'host'>,
  open: (parts: OpenParts) => Promise<number>,
): Promise<RunningServer> {
  const parts = new OpenParts(log);
  try {
    const port = await open(parts);
    log.info({ port }, 'ready');
    return {
      port,
      url: urlAt(host, port),
      drain: () => parts.drain(),
      async stop() {
        if (parts.isStopped) return;
        await parts.stop();
        log.info('stopped');
      },
      unfinished: () => parts.unfinished,
    };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

interface OpenPart {
  stop(): unknown;
  /** Called before the stop, while the server still accepts requests. */
  drain?(): void;
}

/** The open parts of a server. They are stopped in the reverse order in which they were opened. */
export class OpenParts {
  /** True from the beginning of `drain` on. */
  isStopping = false;
  /** True from the beginning of `stop` on. */
  isStopped = false;
  private readonly steps: StopStep[] = [];
  private readonly drains: (() => void)[] = [];
  private readonly running = new Set<string>();
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  /** Adds a part, and returns it. @param withinMillis the time limit of its stop; default: that of `stopInOrder` */
  add<Part extends OpenPart | undefined>(name: string, part: Part, withinMillis?: number): Part {
    if (!part) return part;
    this.steps.unshift({ name, run: () => part.stop(), withinMillis });
    if (part.drain) this.drains.push(() => part.drain?.());
    return part;
  }

  /** Adds the connections of clients and the parts that use them, which stop at the same time. */
  addDoors(
    connections: ClientConnections,
    { stopGracePeriodMillis: graceMillis }: Pick<ServerSettings, 'stopGracePeriodMillis'>,
    sockets: OpenPart,
  ): void {
    const requests: OpenPart = {
      drain: () => connections.drain(),
      stop: () => Promise.all([connections.close(graceMillis), sockets.stop()]),
    };
    this.add('requests and sockets', requests, graceMillis + 1_000);
  }

  get unfinished(): string[] {
    return [...this.running];
  }

  drain(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    for (const drain of this.drains) drain();
  }

  async stop(): Promise<void> {
    this.drain();
    this.isStopped = true;
    await stopInOrder(this.steps, this.log, this.running);
  }
}
