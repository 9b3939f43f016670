import { defineEntity, p } from '@mikro-orm/core';
import { Outcome as VerdictOutcome } from '#server/accounts/account-part.ts';

/** The receipt of a deletion: what each service did, without anything by which to find the person. */
const AccountDeletionSchema = defineEntity({
  name: 'AccountDeletion',
  tableName: 'account_deletion',
  properties: {
    /** Random throughout, since whoever knows it may read the receipt: there is no account any more to ask with. */
    id: p.uuid().primary(),
    userId: p.uuid().unique(),
    requestedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    parts: p.json<ReceiptPart[]>(),
  },
});

/** What a service did with the data of a deleted account, or has still to do. */
export const Outcome = { PENDING: 'PENDING', ...VerdictOutcome } as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

export interface ReceiptPart {
  service: string;
  outcome: Outcome;
  /** What is kept and why, where something is. */
  reason: string | null;
}

export class AccountDeletion extends AccountDeletionSchema.class {}
AccountDeletionSchema.setClass(AccountDeletion);
