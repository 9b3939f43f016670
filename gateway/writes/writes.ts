/** A mutation that a gateway sends to a service. */
export interface Write {
  /** The same at the begin and the end of a mutation. */
  readonly id: string;
  /** The caller of the mutation, the same in all sessions of a user; see `callerOf`. */
  readonly caller: string;
  readonly service: string;
  readonly phase: 'begun' | 'ended';
}

export type WriteListener = (write: Write) => void;

/**
 * Notifies every replica of the gateway of mutations, so that none of them returns an answer that is older than the
 * caller's own mutation.
 */
export interface Writes {
  /**
   * Calls the listeners of this replica synchronously. Resolves when Redis has accepted the message for the other replicas,
   * or after a time limit. Never rejects.
   */
  notify(write: Write): Promise<void>;
  /** Calls `listener` with the writes of all replicas. Returns a function that removes it. */
  onWrite(listener: WriteListener): () => void;
  /**
   * What `GET /health/ready` reports while the other replicas cannot be notified: the name of a part, and what does not work
   * without it.
   */
  losses(): Record<string, string>;
  close(): Promise<void>;
}

/** For a gateway with one replica. */
export class MemoryWrites implements Writes {
  private readonly listeners = new Set<WriteListener>();

  async notify(write: Write): Promise<void> {
    for (const listener of this.listeners) listener(write);
  }

  onWrite(listener: WriteListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  losses(): Record<string, string> {
    return {};
  }

  async close(): Promise<void> {
    this.listeners.clear();
  }
}
