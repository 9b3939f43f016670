import { LRUCache } from 'lru-cache';
import {
  digestOf,
  IDEMPOTENCY_KEY_LIFETIME_MILLIS,
  reused,
  type IdempotencyStore,
  type StoredAnswer,
} from './idempotency.ts';

interface Remembered {
  operation: string;
  fingerprint: string;
  answer: Promise<StoredAnswer | undefined>;
}

/** For a service that keeps its own state in memory; the newest 10,000 keys. A failure is not remembered. */
export function memoryIdempotency(): IdempotencyStore {
  const remembered = new LRUCache<string, Remembered>({ max: 10_000, ttl: IDEMPOTENCY_KEY_LIFETIME_MILLIS });
  const store: IdempotencyStore = {
    async once(request, perform) {
      const id = `${request.caller}\n${digestOf(request.key)}`;
      const known = remembered.get(id);
      if (known) {
        if (known.operation !== request.operation || known.fingerprint !== request.fingerprint)
          throw reused();
        const answer = await known.answer;
        return answer ? { answer, replayed: true } : store.once(request, perform);
      }
      const answer = perform();
      remembered.set(id, { operation: request.operation, fingerprint: request.fingerprint, answer });
      answer.then(
        (kept) => kept ?? remembered.delete(id),
        () => remembered.delete(id),
      );
      return { answer: await answer, replayed: false };
    },
  };
  return store;
}
