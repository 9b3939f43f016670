import { defineEntity, p } from '@mikro-orm/core';
import { Session } from './session.entity.ts';

/** Every refresh token of a session; used ones stay as long as they could have lived, so that their reuse is noticed. */
const RefreshTokenSchema = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_token',
  indexes: [
    { properties: ['session'] },
    { properties: ['createdAt'] },
    // used ones are removed by age
    {
      name: 'refresh_token_used',
      expression: `create index "refresh_token_used" on "refresh_token" ("used_at") where "used_at" is not null`,
    },
  ],
  properties: {
    /** SHA-256; the token itself is 256 random bits, which need no slower hash. */
    hash: p.string().length(43).primary(),
    session: () => p.manyToOne(Session).deleteRule('cascade').mapToPk(),
    createdAt: p.datetime(),
    usedAt: p.datetime().nullable(),
  },
});

export class RefreshToken extends RefreshTokenSchema.class {}
RefreshTokenSchema.setClass(RefreshToken);
