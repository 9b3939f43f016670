import { defineEntity, p } from '@mikro-orm/core';
import type { ActionRecord, SagaStatus, Undoing } from './saga.ts';

/** A saga in the database of the service that owns it, with its lease. */
const SagaSchema = defineEntity({
  name: 'SagaRow',
  tableName: 'saga',
  indexes: [
    { properties: ['kind', 'subject'] },
    // With this index workers find the sagas that are due.
    {
      name: 'saga_due_index',
      expression: `create index "saga_due_index" on "saga" ("due_at") where finished_at is null and status <> 'UNDO_FAILED'`,
    },
    // With this index the unfinished sagas are counted, by kind and status.
    {
      name: 'saga_unfinished_index',
      expression: `create index "saga_unfinished_index" on "saga" ("kind", "status") where finished_at is null`,
    },
    // With this index the ids of deleted users are found and erased from past decisions.
    {
      name: 'saga_undoing_index',
      expression: `create index "saga_undoing_index" on "saga" ("kind") where undoing is not null`,
    },
    // With this index old finished sagas are found and removed.
    {
      name: 'saga_finished_index',
      expression: `create index "saga_finished_index" on "saga" ("kind", "finished_at") where finished_at is not null`,
    },
    // This index allows one saga of a kind and subject at a time, and none after one that is DONE.
    {
      name: 'saga_one_of_a_subject',
      expression: `create unique index "saga_one_of_a_subject" on "saga" ("kind", "subject") where status <> 'UNDONE'`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    kind: p.string().length(64),
    subject: p.string().length(255),
    status: p.string().length(16).$type<SagaStatus>(),
    context: p.json<unknown>().nullable(),
    actions: p.json<ActionRecord[]>(),
    result: p.json<unknown>().nullable(),
    undoing: p.json<Undoing>().nullable(),
    startedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    dueAt: p.datetime(),
    leaseHolder: p.uuid().nullable(),
    leasedUntil: p.datetime().nullable(),
  },
});

export class SagaRow extends SagaSchema.class {}
SagaSchema.setClass(SagaRow);
