import { defineEntity, p } from '@mikro-orm/core';

/**
 * A session, or a machine client, of which all access tokens (it has ended), or the older ones (the role or gym of its user has changed, and the
 * session continues), are refused before they expire. The row is kept until the last of these tokens has expired. It has
 * no foreign key, because it outlives its session and its user.
 */
const TokenRefusalSchema = defineEntity({
  name: 'TokenRefusal',
  tableName: 'ended_session',
  indexes: [{ properties: ['transaction', 'sessionId'] }, { properties: ['refusedUntil'] }],
  properties: {
    sessionId: p.uuid().primary(),
    /**
     * Access tokens of the session whose `exp` is before this time are refused. All tokens have the same lifetime, so the
     * tokens with an earlier `exp` are the older ones.
     */
    refusedUntil: p.datetime(),
    /** The transaction that wrote the row. Other services read the rows in the order of transactions, see `endedSince`. */
    transaction: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
});

export class TokenRefusal extends TokenRefusalSchema.class {}
TokenRefusalSchema.setClass(TokenRefusal);
