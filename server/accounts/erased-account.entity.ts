import { defineEntity, p } from '@mikro-orm/core';
import type { Outcome } from './account-part.ts';

/**
 * That an account has been erased here: a trigger on the tables that name people refuses whatever would bring its id
 * back (see `erased-accounts.ts`). The id leads to nobody any more.
 */
const ErasedAccountSchema = defineEntity({
  name: 'ErasedAccount',
  tableName: 'erased_account',
  properties: {
    userId: p.uuid().primary(),
    erasedAt: p.datetime(),
    /** Null while the erasure is not through. */
    outcome: p.string().length(16).$type<Outcome>().nullable(),
    reason: p.text().nullable(),
  },
});

export class ErasedAccount extends ErasedAccountSchema.class {}
ErasedAccountSchema.setClass(ErasedAccount);
