import { boundedCache, bytesOfText } from '../observability/bounded-cache.ts';
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
  /** The bytes of the answer; 0 until it exists. */
  bytes: number;
}

/**
 * Stores keys in memory, for a service whose own state is in memory: the latest 10,000 keys, or as many as fit into 64 MiB.
 * If a request throws, its key is free again.
 */
export function memoryIdempotency(): IdempotencyStore {
  const remembered = boundedCache<string, Remembered>({
    name: 'idempotency_keys',
    maxEntries: 10_000,
    maxBytes: 64 * 1024 * 1024, // 64 MiB
    bytesOf: ({ operation, fingerprint, bytes }, id) =>
      bytesOfText(operation) + bytesOfText(fingerprint) + bytesOfText(id) + bytes,
    ttlMillis: IDEMPOTENCY_KEY_LIFETIME_MILLIS,
  });
  const store: IdempotencyStore = {
    undoes: false,
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
      const { operation, fingerprint } = request;
      remembered.set(id, { operation, fingerprint, answer, bytes: 0 });
      answer.then(
        (stored) =>
          stored
            ? remembered.set(id, {
                operation,
                fingerprint,
                answer,
                bytes: bytesOfText(stored.body ?? '') + 500,
              })
            : remembered.delete(id),
        () => remembered.delete(id),
      );
      return { answer: await answer, replayed: false };
    },
  };
  return store;
}
