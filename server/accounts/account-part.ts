/**
 * What one service keeps of a person, and what becomes of it when their account is deleted. Every service has one; identity
 * asks the others for theirs by the two routes of `account-part.rest.ts`.
 */
export interface AccountPart {
  /** Everything that is kept of a person, by kind (e.g. `foodLogs`), in the order in which it is exported. */
  readonly records: Readonly<Record<string, RecordSource>>;
  /**
   * Erases it, and keeps whatever is under way from writing more. Harmless when repeated, also after a crash in the
   * middle: the verdict is the same. It may throw; then it is asked for again until it is done.
   */
  erase(userId: string): Promise<Verdict>;
}

/** What a service did with the data of a deleted account. */
export const Outcome = {
  /** Nothing is left but what `reason` says. */
  DELETED: 'DELETED',
  /** Something is there, but nobody can tell whose it was. */
  ANONYMISED: 'ANONYMISED',
  /** Something is kept as it was, for the `reason`. */
  RETAINED: 'RETAINED',
} as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

export interface Verdict {
  outcome: Outcome;
  /** What is kept and why, where something is. */
  reason: string | null;
}

/** Where a kind of record goes on: the sort keys of the last one seen. */
export type RecordKey = readonly (string | number)[];

export interface KeyedRecord {
  key: RecordKey;
  /** As a reader knows it: camelCase, times in ISO 8601. */
  record: object;
}

/** At most `limit` records of a person after a key, always in the same order. */
export type RecordSource = (
  userId: string,
  after: RecordKey | undefined,
  limit: number,
) => Promise<readonly KeyedRecord[]>;

/** A source over what is in memory anyway; the key is the place in the list, which must grow at its end only. */
export const recordsOfList =
  (list: (userId: string) => Promise<readonly object[]>): RecordSource =>
  async (userId, after, limit) => {
    const start = after ? Number(after[0]) + 1 : 0;
    return (await list(userId))
      .slice(start, start + limit)
      .map((record, index) => ({ key: [start + index], record }));
  };
