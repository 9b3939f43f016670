import { defineEntity, p } from '@mikro-orm/core';

/** An export that a user asked for. How far it is stands in its saga, what it holds in one file for each service. */
const AccountExportSchema = defineEntity({
  name: 'AccountExport',
  tableName: 'account_export',
  indexes: [{ properties: ['userId', 'id'] }, { properties: ['expiresAt'] }],
  uniques: [
    // one under way a user: who asks again meanwhile waits for the same
    {
      name: 'account_export_under_way',
      expression: `create unique index "account_export_under_way" on "account_export" ("user_id") where "finished_at" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    requestedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    /** Removed then, with its files. */
    expiresAt: p.datetime(),
  },
});

export class AccountExport extends AccountExportSchema.class {}
AccountExportSchema.setClass(AccountExport);
