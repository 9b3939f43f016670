import { defineEntity, p } from '@mikro-orm/core';
import { User } from '../users/user.entity.ts';

/** An export that a user requested. Its saga records the progress; the section of each service is one file. */
const AccountExportSchema = defineEntity({
  name: 'AccountExport',
  tableName: 'account_export',
  indexes: [{ properties: ['userId', 'id'] }, { properties: ['expiresAt'] }],
  uniques: [
    // Each user has at most one running export; a second request returns the running one.
    {
      name: 'account_export_under_way',
      expression: `create unique index "account_export_under_way" on "account_export" ("user_id") where "finished_at" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).deleteRule('cascade').fieldName('user_id').mapToPk(),
    requestedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    /** After this time the export is removed, with its files. */
    expiresAt: p.datetime(),
  },
});

export class AccountExport extends AccountExportSchema.class {}
AccountExportSchema.setClass(AccountExport);
