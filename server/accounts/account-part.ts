/**
 * What one service stores about a user, and what happens to it when their account is deleted. Every service has an
 * account part; identity calls those of the other services by the two routes of `account-data.rest.ts`.
 */
export interface AccountPart {
  /** Everything that is stored about a user, by kind (e.g. `foodLogs`), in the order in which it is exported. */
  readonly records: Readonly<Record<string, RecordSource>>;
  /**
   * Erases everything that is stored about a user, and refuses later writes of requests that are still running.
   * Idempotent, also after a crash in the middle: a repeated call returns the same verdict. If it throws, the caller
   * repeats the call until it succeeds.
   */
  erase(userId: string): Promise<Verdict>;
}

/** What a service did with the data of a deleted account. */
export const Outcome = {
  /** Nothing is left, except what `reason` says. */
  DELETED: 'DELETED',
  /** Something is left, but nothing in it identifies the user. */
  ANONYMISED: 'ANONYMISED',
  /** Something is kept unchanged, because of `reason`. */
  RETAINED: 'RETAINED',
} as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

export interface Verdict {
  outcome: Outcome;
  /** Which data is kept, and why; null if none is. */
  reason: string | null;
}

/** A position in the records of one kind: the sort keys of the last record of the previous page. */
export type RecordKey = readonly (string | number)[];

interface KeyedRecord {
  key: RecordKey;
  /** In the form of the API: camelCase, times in ISO 8601. */
  record: object;
}

/** At most `limit` records of a user after a key, always in the same order. */
export type RecordSource = (
  userId: string,
  after: RecordKey | undefined,
  limit: number,
) => Promise<readonly KeyedRecord[]>;

/** A source over a list in memory. The key is the index in the list, so the list may only grow at its end. */
export const recordsOfList =
  (list: (userId: string) => Promise<readonly object[]>): RecordSource =>
  async (userId, after, limit) => {
    const start = after ? Number(after[0]) + 1 : 0;
    return (await list(userId))
      .slice(start, start + limit)
      .map((record, index) => ({ key: [start + index], record }));
  };
