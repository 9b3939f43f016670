import { defineEntity, p } from '@mikro-orm/core';
import { Session } from './session.entity.ts';

/** A refresh token of a session. A used token is kept for `RETENTION_SESSIONS_DAYS`, so that its reuse is detected. */
const RefreshTokenSchema = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_token',
  indexes: [
    { properties: ['session'] },
    { properties: ['createdAt'] },
    // for the removal of old used tokens
    {
      name: 'refresh_token_used',
      expression: `create index "refresh_token_used" on "refresh_token" ("used_at") where "used_at" is not null`,
    },
  ],
  properties: {
    /** SHA-256. The token itself is 256 random bits, for which no slow hash is needed. */
    hash: p.string().length(43).primary(),
    session: () => p.manyToOne(Session).deleteRule('cascade').mapToPk(),
    createdAt: p.datetime(),
    usedAt: p.datetime().nullable(),
  },
});

export class RefreshToken extends RefreshTokenSchema.class {}
RefreshTokenSchema.setClass(RefreshToken);
