import type { IdempotencyStore } from '#server/rest/idempotency.ts';
import type { JournalsOf } from '../../../subgraphs/squad/storage/journal.ts';

/** Appends two records with this number, as a request whose key is the number. Returns whether the answer was replayed. */
export async function writeOnce(
  store: IdempotencyStore,
  of: JournalsOf<readonly number[], { n: number } | { all: readonly number[] }>,
  id: string,
  n: number,
): Promise<boolean> {
  const request = { caller: 'user:test', key: `${id} ${n}`, operation: 'POST /test', fingerprint: 'same' };
  const { replayed } = await store.once(request, async () => {
    await of.change(id, () => [{ n }]);
    await of.change(id, () => [{ n }]);
    return { status: 201, headers: {}, body: String(n) };
  });
  return replayed;
}
