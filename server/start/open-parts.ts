import type { Logger } from '../observability/logger.ts';
import { stopInOrder, type StopStep } from '../stop-in-order.ts';

/** A server that has started. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /**
   * Finishes running requests, then closes the parts of the server. It always resolves: a part that is not closed in time
   * ends with the process.
   */
  stop(): Promise<void>;
}

/**
 * Starts a server. If a part cannot be opened, the parts that are open are closed.
 * @param open opens the parts one after the other; returns the port at which the server listens
 */
export async function startParts(
  log: Logger,
  open: (parts: OpenParts) => Promise<number>,
): Promise<RunningServer> {
  const parts = new OpenParts(log);
  try {
    const port = await open(parts);
    log.info({ port }, 'ready');
    return {
      port,
      url: `http://127.0.0.1:${port}`,
      async stop() {
        if (parts.isStopping) return;
        await parts.stop();
        log.info('stopped');
      },
    };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/** The open parts of a server. They are stopped in the reverse order in which they were opened. */
export class OpenParts {
  isStopping = false;
  private readonly steps: StopStep[] = [];
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  /** Adds a part, and returns it. @param withinMillis the time limit of its stop; default: that of `stopInOrder` */
  add<Part extends { stop(): unknown } | undefined>(name: string, part: Part, withinMillis?: number): Part {
    if (part) this.steps.unshift({ name, run: () => part.stop(), withinMillis });
    return part;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await stopInOrder(this.steps, this.log);
  }
}
