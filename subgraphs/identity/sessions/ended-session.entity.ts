import { defineEntity, p } from '@mikro-orm/core';

/**
 * A session whose access tokens are refused before they expire. The row is kept until the last of these tokens has expired.
 * It has no foreign key, because it outlives its session and its user.
 */
const EndedSessionSchema = defineEntity({
  name: 'EndedSession',
  tableName: 'ended_session',
  indexes: [{ properties: ['transaction', 'sessionId'] }, { properties: ['refusedUntil'] }],
  properties: {
    sessionId: p.uuid().primary(),
    /** Tokens that expire before this time are refused: all tokens of an ended session, or those with a user's old rights. */
    refusedUntil: p.datetime(),
    /** The transaction that wrote the row. The feed is in the order of transactions, see ended-sessions.ts. */
    transaction: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
});

export class EndedSession extends EndedSessionSchema.class {}
EndedSessionSchema.setClass(EndedSession);
