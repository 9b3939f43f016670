import { isDeepStrictEqual } from 'node:util';
import { journalKinds } from '../journal-kinds.ts';
import type { JournalKind } from '../storage/journal.ts';

type AnyKind = JournalKind<unknown, object>;

/** A storage as the source or the target of a move. */
export interface JournalPlace {
  /** The name in messages to the operator. */
  readonly name: string;
  /** The journals of a kind, with the time of their last change. */
  list(kind: string): AsyncIterable<{ id: string; changedAt: Date }>;
  /** All records, oldest first. */
  read(kind: AnyKind, id: string): Promise<readonly object[]>;
  /** Stores the records of a journal that has none. Absent if the storage can only be a source. */
  write?(kind: AnyKind, id: string, records: readonly object[], changedAt: Date): Promise<void>;
  close(): Promise<void>;
}

export interface MoveResult {
  moved: number;
  /** Journals that an earlier, interrupted move had stored already. */
  present: number;
  /** `<kind>/<id>` of journals of which the target has other records. They were not changed. */
  different: string[];
}

/**
 * Copies every journal from one storage to the other. The source stays as it is. A journal that the target has already is
 * never changed, so that a move can be repeated after a crash.
 */
export async function moveJournals(
  from: JournalPlace,
  to: JournalPlace,
  progress: (line: string) => void,
): Promise<MoveResult> {
  const result: MoveResult = { moved: 0, present: 0, different: [] };
  if (!to.write) throw new Error(`Journals cannot be moved to ${to.name}.`);
  for (const known of journalKinds) {
    // A move treats the records of all kinds in the same way, so their types do not matter.
    const kind = known as unknown as AnyKind;
    const before = result.moved;
    for await (const { id, changedAt } of from.list(kind.name)) {
      const records = shortest(kind, id, await from.read(kind, id));
      if (records.length === 0) continue;
      const there = shortest(kind, id, await to.read(kind, id));
      if (there.length === 0) {
        await to.write(kind, id, records, changedAt);
        result.moved += 1;
      } else if (isDeepStrictEqual(there, records)) result.present += 1;
      else result.different.push(`${kind.name}/${id}`);
    }
    progress(`  ${kind.name.padEnd(8)} ${result.moved - before} moved`);
  }
  return result;
}

/** The fewest records that lead to the same state as the given ones, as plain JSON. */
function shortest(kind: AnyKind, id: string, records: readonly object[]): object[] {
  const state = records.reduce((before, record) => kind.apply(before, record), kind.empty(id));
  return JSON.parse(JSON.stringify(records.length === 0 ? [] : kind.compacted(state))) as object[];
}
