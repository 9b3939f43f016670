import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { User } from '../users/user.entity.ts';

/** One log-in. A session that ends is deleted; a `TokenRefusal` says that its access tokens are refused until they expire. */
const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'login_session',
  indexes: [{ properties: ['user', 'lastUsedAt'] }, { properties: ['expiresAt'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    user: () => p.manyToOne(User).deleteRule('cascade').mapToPk(),
    userAgent: p.string().length(256),
    address: p.string().length(64),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime(),
    /** Extended by each refresh. */
    expiresAt: p.datetime(),
  },
});

export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);
