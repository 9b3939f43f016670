/**
 * What one service stores about a user, and what happens to it when their account is deleted. Every service has an
 * account part; identity calls those of the other services by the two routes of `account-data.rest.ts`.
 */
export interface AccountPart {
  /** Everything that is stored about a user, by kind (e.g. `foodLogs`), in the order in which it is exported. */
  readonly records: Readonly<Record<string, RecordSource>>;
  /**
   * Erases everything that is stored about a user, and refuses later writes of requests that are still running.
   * Idempotent, also after a crash in the middle: a repeated call returns the same result. If it throws, the caller
   * repeats the call until it succeeds.
   */
  erase(userId: string): Promise<ErasureResult>;
}

/** What a service did with the data of a deleted account: the last of these cases that applies to any of its records. */
export const Outcome = {
  /** Nothing about the user is left but their id, which this service stores to refuse later writes about them. */
  DELETED: 'DELETED',
  /** Records of the user are left, but without their id and everything else that identifies them; `reason` names the records. */
  ANONYMISED: 'ANONYMISED',
  /** Records with the id of the user are kept; `reason` names them and says why. */
  RETAINED: 'RETAINED',
} as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

export interface ErasureResult {
  outcome: Outcome;
  /** Which records are kept, and why; null if none are. */
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
