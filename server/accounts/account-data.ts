import { z } from 'zod';
import { requireService, type Viewer } from '../auth/viewer.ts';
import { forbidden } from '../errors.ts';
import { cursorsOf } from '../paging.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { Outcome, type AccountPart, type RecordKey, type ErasureResult } from './account-part.ts';

/** The maximum number of records in a page. */
const RECORDS_PER_PAGE = 1_000;

export const ErasureResultShape = z
  .object({
    outcome: z.enum(Outcome).meta({
      description:
        'What has happened to the data. DELETED: nothing about the user is left but their id. ANONYMISED: records are left without the id and everything else that identifies the user. RETAINED: records with the id of the user are kept.',
    }),
    reason: z.string().nullable().meta({ description: 'Which records are kept, and why; null if none are.' }),
  })
  .meta({ id: 'AccountVerdict' });

export const RecordsPageShape = z
  .object({
    records: z
      .array(
        z.object({
          kind: z.string().meta({ description: 'Records of one kind follow each other.' }),
          record: z
            .record(z.string(), z.unknown())
            .meta({ description: 'The record; its keys depend on the kind.' }),
        }),
      )
      .meta({ description: 'The records of the page, one kind after the other.' }),
    kinds: z
      .array(z.string())
      .meta({ description: 'All kinds of records, in the order in which they are exported.' }),
    next: z.string().nullable().meta({ description: '`cursor` of the next page; null after the last one.' }),
  })
  .meta({ id: 'AccountRecords' });
export type RecordsPageShape = z.infer<typeof RecordsPageShape>;

const cursors = cursorsOf(
  'account-records',
  z.tuple([z.string(), z.array(z.union([z.string(), z.number()]))]),
);

/**
 * The rules of a service's part in exports and deletions of accounts. Only the identity service may call them: no user,
 * not even a SUPER_ADMIN, reads or erases another user's data this way.
 */
export class AccountData {
  private readonly unit: UnitOfWork;
  private readonly part: AccountPart;

  constructor(unit: UnitOfWork, part: AccountPart) {
    this.unit = unit;
    this.part = part;
  }

  /** A page of everything that the service stores about a user; empty if it stores nothing. */
  async records(userId: string, cursor: string | undefined): Promise<RecordsPageShape> {
    requireIdentity(this.unit.viewer);
    return recordsPage(this.part, userId, cursor);
  }

  /** Erases everything that the service stores about a user. A repeated call returns the same result. */
  async erase(userId: string): Promise<ErasureResult> {
    requireIdentity(this.unit.viewer);
    return this.part.erase(userId);
  }
}

/**
 * A page of records, one kind after the other: if the records of a kind end before the page is full, those of the next kind
 * follow.
 */
async function recordsPage(
  part: AccountPart,
  userId: string,
  cursor: string | undefined,
): Promise<RecordsPageShape> {
  const [firstKind, key] = cursors.read(cursor) ?? [undefined, undefined];
  const kinds = Object.keys(part.records);
  const records: RecordsPageShape['records'] = [];
  let after: RecordKey | undefined = key;
  for (const kind of kinds.slice(firstKind === undefined ? 0 : kinds.indexOf(firstKind))) {
    const wanted = RECORDS_PER_PAGE - records.length;
    const found = (await part.records[kind]?.(userId, after, wanted)) ?? [];
    for (const { record } of found) records.push({ kind, record: record as Record<string, unknown> });
    const last = found.at(-1);
    if (last && found.length === wanted)
      return { records, kinds, next: cursors.write([kind, [...last.key]]) };
    after = undefined;
  }
  return { records, kinds, next: null };
}

/** @throws UNAUTHENTICATED without a token, FORBIDDEN for every other caller than the identity service */
export function requireIdentity(viewer: Viewer): void {
  if (requireService(viewer).service !== 'identity')
    throw forbidden('Only the identity service may call this.');
}
