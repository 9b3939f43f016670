import { defineEntity, p } from '@mikro-orm/core';

/** Failed log-ins of one account or from one address. */
const LoginFailuresSchema = defineEntity({
  name: 'LoginFailures',
  tableName: 'login_failures',
  indexes: [{ properties: ['updatedAt'] }],
  properties: {
    /** `account:<SHA-256 of the email address in lower case>` or `address:<network address>` */
    key: p.string().length(80).primary(),
    /** The times of the failures in the last 15 minutes. */
    failedAt: p.string().columnType('timestamptz[]'),
    lockedUntil: p.datetime().nullable(),
    updatedAt: p.datetime(),
  },
});

export class LoginFailures extends LoginFailuresSchema.class {}
LoginFailuresSchema.setClass(LoginFailures);
