import { defineEntity, p } from '@mikro-orm/core';
import { Outcome as ErasureOutcome } from '#server/accounts/account-part.ts';

/** The receipt of a deletion: what each service did. No door returns the id of the user with it. */
const AccountDeletionSchema = defineEntity({
  name: 'AccountDeletion',
  tableName: 'account_deletion',
  properties: {
    /** The id is fully random, because it is the only secret that gives access to the receipt: the user can no longer log in. */
    id: p.uuid().primary(),
    userId: p.uuid().unique(),
    requestedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    parts: p.json<ReceiptPart[]>(),
  },
});

/** What a service did with the data of a deleted account, or that it has not answered yet. */
export const Outcome = { PENDING: 'PENDING', ...ErasureOutcome } as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

export interface ReceiptPart {
  service: string;
  outcome: Outcome;
  /** Which records are kept, and why; null if none are. */
  reason: string | null;
}

export class AccountDeletion extends AccountDeletionSchema.class {}
AccountDeletionSchema.setClass(AccountDeletion);
