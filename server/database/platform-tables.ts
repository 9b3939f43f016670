import { defineEntity, p } from '@mikro-orm/core';
import { CreateRemovedReference } from '../references/migrations/20261123090000_removed_reference.ts';
import { RemovedReference } from '../references/removed-reference.entity.ts';
import { ErasedAccount } from '../accounts/erased-account.entity.ts';
import { CreateIdempotencyRecord } from './migrations/20260105090000_idempotency_record.ts';
import { CreateErasedAccount } from './migrations/20261121110000_erased_account.ts';
import type { MigrationDeclaration } from './migration-declaration.ts';
import { RefuseErasedAccountRows } from './migrations/20261121111000_erased_account_rows.ts';

/**
 * The stored answer to a request with an `Idempotency-Key`, which a repeated request with the same key gets. The record is
 * written in the transaction of the request's own writes, so that both are committed or neither.
 */
const IdempotencyRecordSchema = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  indexes: [{ properties: ['createdAt'] }], // records are purged by age
  properties: {
    /** The sender of the key is part of the primary key, because two callers may choose the same key. */
    caller: p.text().primary(),
    key: p.text().primary(),
    /** Method and path, e.g. `POST /posts`. */
    operation: p.text(),
    /** SHA-256 of the body, hexadecimal. */
    fingerprint: p.text(),
    status: p.integer(),
    headers: p.json<Record<string, string>>(),
    body: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

export class IdempotencyRecord extends IdempotencyRecordSchema.class {}
IdempotencyRecordSchema.setClass(IdempotencyRecord);

/** Tables of every service's database; `openDatabase` creates them before the service's own. */
export const platformEntities = [IdempotencyRecord, ErasedAccount, RemovedReference];

/** Never change a released migration: add another one. */
export const platformMigrations: MigrationDeclaration[] = [
  { name: '20260105090000_idempotency_record', class: CreateIdempotencyRecord },
  { name: '20261121110000_erased_account', class: CreateErasedAccount },
  { name: '20261121111000_erased_account_rows', class: RefuseErasedAccountRows },
  { name: '20261123090000_removed_reference', class: CreateRemovedReference },
];
