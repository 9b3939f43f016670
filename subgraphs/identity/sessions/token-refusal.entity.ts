import { defineEntity, p } from '@mikro-orm/core';

/**
 * A session or a machine client whose access tokens are refused before they expire: all of them if the session has ended or
 * the client was deleted, only the older ones if the role or gym of the session's user has changed and the session continues.
 * The row is kept until the last of these tokens has expired. It has no foreign key, because it outlives the session, its
 * user and the client.
 */
const TokenRefusalSchema = defineEntity({
  name: 'TokenRefusal',
  tableName: 'ended_session',
  indexes: [{ properties: ['transaction', 'sessionId'] }, { properties: ['refusedUntil'] }],
  properties: {
    /** The id of the session or of the machine client. */
    sessionId: p.uuid().primary(),
    /**
     * Access tokens whose `exp` is before this time are refused. All tokens of a session have the same lifetime, so the tokens
     * with an earlier `exp` are the older ones.
     */
    refusedUntil: p.datetime(),
    /** The transaction that wrote the row. Other services read the rows in the order of transactions, see `endedSince`. */
    transaction: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
});

export class TokenRefusal extends TokenRefusalSchema.class {}
TokenRefusalSchema.setClass(TokenRefusal);
