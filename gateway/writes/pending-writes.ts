import { MAX_SUBGRAPH_TIMEOUT_MILLIS } from '../settings.ts';
import type { Write } from './writes.ts';

/** A mutation counts as ended after this time, in case the message of its end was lost. */
const WRITE_MILLIS = MAX_SUBGRAPH_TIMEOUT_MILLIS + 30_000; // 30 s for the rest of the request

/**
 * The mutations that have begun and not ended, at all replicas of the gateway. If the message of a mutation's end is lost, the
 * mutation is removed `WRITE_MILLIS` after its begin; otherwise `has` would return true for its key forever.
 */
export class PendingWrites {
  private readonly keyOf: (write: Write) => string;
  /** By the id of the mutation; the oldest first. */
  private readonly writes = new Map<string, { readonly key: string; readonly expiresAt: number }>();
  private readonly counts = new Map<string, number>();

  /** @param keyOf returns the key of a mutation by which `has` finds it, such as its service */
  constructor(keyOf: (write: Write) => string) {
    this.keyOf = keyOf;
  }

  onWrite(write: Write): void {
    this.end(write.id);
    if (write.phase === 'ended') return;
    this.removeExpired();
    const key = this.keyOf(write);
    this.writes.set(write.id, { key, expiresAt: performance.now() + WRITE_MILLIS });
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  has(key: string): boolean {
    this.removeExpired();
    return this.counts.has(key);
  }

  private end(id: string): void {
    const write = this.writes.get(id);
    if (!write) return;
    this.writes.delete(id);
    const others = (this.counts.get(write.key) ?? 1) - 1;
    if (others > 0) this.counts.set(write.key, others);
    else this.counts.delete(write.key);
  }

  private removeExpired(): void {
    for (const [id, { expiresAt }] of this.writes) {
      if (expiresAt > performance.now()) return;
      this.end(id);
    }
  }
}
