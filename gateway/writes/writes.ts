/** A mutation that a gateway sends to a service. */
export interface Write {
  /** See `callerOf`. */
  readonly caller: string;
  readonly service: string;
  readonly phase: 'begun' | 'ended';
}

export type WriteListener = (write: Write) => void;

/**
 * Tells every replica of the gateway about mutations, so that none of them gives a caller an answer that is older than
 * the caller's own mutation.
 */
export interface Writes {
  /**
   * Calls the listeners of this replica at once; resolves if the others were notified, or could not be in time.
   * Never rejects.
   */
  tell(write: Write): Promise<void>;
  /** Calls `listener` with the writes of all replicas. Returns what ends it. */
  onWrite(listener: WriteListener): () => void;
  close(): Promise<void>;
}

/** For a gateway without replicas. */
export class MemoryWrites implements Writes {
  private readonly listeners = new Set<WriteListener>();

  async tell(write: Write): Promise<void> {
    for (const listener of this.listeners) listener(write);
  }

  onWrite(listener: WriteListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.listeners.clear();
  }
}
