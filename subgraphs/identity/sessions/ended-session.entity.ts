import { defineEntity, p } from '@mikro-orm/core';

/**
 * A session whose access tokens hold no more although they have not expired. Kept until the last of them has.
 * No foreign key: it outlives its session and its user.
 */
const EndedSessionSchema = defineEntity({
  name: 'EndedSession',
  tableName: 'ended_session',
  indexes: [{ properties: ['transaction', 'sessionId'] }, { properties: ['refusedUntil'] }],
  properties: {
    sessionId: p.uuid().primary(),
    /** Tokens that expire before this are refused: all of an ended session, the older ones of a user whose rights changed. */
    refusedUntil: p.datetime(),
    /** Which transaction wrote it: what the feed is read by, see ended-sessions.ts. */
    transaction: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
});

export class EndedSession extends EndedSessionSchema.class {}
EndedSessionSchema.setClass(EndedSession);
