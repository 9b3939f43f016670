import { defineEntity, p } from '@mikro-orm/core';
import type { FieldError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { User } from '../users/user.entity.ts';

/** RECEIVING: the file is still arriving. RUNNING: the whole file is stored, and its lines are written one after the other. */
export const USER_IMPORT_STATUSES = ['RECEIVING', 'RUNNING', 'DONE'] as const;
export type UserImportStatus = (typeof USER_IMPORT_STATUSES)[number];

export const USER_IMPORT_LINE_STATUSES = ['PENDING', 'CREATED', 'EXISTING', 'FAILED'] as const;
export type UserImportLineStatus = (typeof USER_IMPORT_LINE_STATUSES)[number];

const UserImportSchema = defineEntity({
  name: 'UserImport',
  tableName: 'user_import',
  indexes: [{ properties: ['startedAt'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: p.uuid(),
    status: p.string().$type<UserImportStatus>().length(10),
    /** Whether each new account gets an invitation by mail. */
    invites: p.boolean(),
    total: p.integer().default(0),
    created: p.integer().default(0),
    existing: p.integer().default(0),
    failed: p.integer().default(0),
    startedAt: p.datetime().onCreate(() => new Date()),
    finishedAt: p.datetime().nullable(),
  },
});

/** An import of many members into one gym. */
export class UserImport extends UserImportSchema.class {}
UserImportSchema.setClass(UserImport);

const UserImportLineSchema = defineEntity({
  name: 'UserImportLine',
  tableName: 'user_import_line',
  indexes: [
    // for the lines that are still to be written
    {
      name: 'user_import_line_pending',
      expression: `create index "user_import_line_pending" on "user_import_line" ("import_id", "line") where "status" = 'PENDING'`,
    },
    { properties: ['importId', 'status', 'line'] },
    // for the deletion of an account
    { properties: ['userId'] },
  ],
  properties: {
    importId: () => p.manyToOne(UserImport).primary().deleteRule('cascade').fieldName('import_id').mapToPk(),
    /** The line of the file; the first one is 1. */
    line: p.integer().primary(),
    status: p.string().$type<UserImportLineStatus>().length(10),
    /** `email` and `displayName` are stored only while the status is PENDING. */
    email: p.string().length(254).nullable(),
    displayName: p.string().length(80).nullable(),
    userId: () => p.manyToOne(User).nullable().deleteRule('set null').fieldName('user_id').mapToPk(),
    errors: p.json<FieldError[]>().nullable(),
  },
});

export class UserImportLine extends UserImportLineSchema.class {}
UserImportLineSchema.setClass(UserImportLine);
