import { defineEntity, p } from '@mikro-orm/core';
import type { Outcome } from './account-part.ts';

/**
 * The erasure record: the id of an account that this service has erased. A trigger on the tables that name users refuses
 * rows with such an id (see `erased-accounts.ts`). The id alone identifies nobody.
 */
const ErasedAccountSchema = defineEntity({
  name: 'ErasedAccount',
  tableName: 'erased_account',
  properties: {
    userId: p.uuid().primary(),
    erasedAt: p.datetime(),
    /** Null until the erasure has finished. */
    outcome: p.string().length(16).$type<Outcome>().nullable(),
    reason: p.text().nullable(),
  },
});

export class ErasedAccount extends ErasedAccountSchema.class {}
ErasedAccountSchema.setClass(ErasedAccount);
