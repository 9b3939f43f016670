import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

export const AuditAction = {
  LOGGED_IN: 'LOGGED_IN',
  LOGIN_FAILED: 'LOGIN_FAILED',
  LOGIN_LOCKED: 'LOGIN_LOCKED',
  PASSWORD_CHANGED: 'PASSWORD_CHANGED',
  ROLE_CHANGED: 'ROLE_CHANGED',
  GYM_CHANGED: 'GYM_CHANGED',
  MEMBERSHIP_CHANGED: 'MEMBERSHIP_CHANGED',
  EMAIL_VERIFIED: 'EMAIL_VERIFIED',
  ACCOUNT_SUSPENDED: 'ACCOUNT_SUSPENDED',
  SUSPENSION_ENDED: 'SUSPENSION_ENDED',
  PASSWORD_RESET: 'PASSWORD_RESET',
  REFRESH_TOKEN_REUSED: 'REFRESH_TOKEN_REUSED',
  USER_INVITED: 'USER_INVITED',
  INVITATION_SENT_AGAIN: 'INVITATION_SENT_AGAIN',
  INVITATION_WITHDRAWN: 'INVITATION_WITHDRAWN',
  USERS_IMPORTED: 'USERS_IMPORTED',
  ACCOUNT_DELETED: 'ACCOUNT_DELETED',
  SIGNING_KEY_ROTATED: 'SIGNING_KEY_ROTATED',
  API_CLIENT_CREATED: 'API_CLIENT_CREATED',
  API_CLIENT_SECRET_ROTATED: 'API_CLIENT_SECRET_ROTATED',
  API_CLIENT_DELETED: 'API_CLIENT_DELETED',
} as const;
export type AuditAction = (typeof AuditAction)[keyof typeof AuditAction];

/** Actions about log-ins and passwords. Only SUPER_ADMINs see their records; the GYM_ADMINs of the user's gym do not. */
export const PRIVATE_ACTIONS: readonly AuditAction[] = [
  'LOGGED_IN',
  'LOGIN_FAILED',
  'LOGIN_LOCKED',
  'PASSWORD_CHANGED',
  'PASSWORD_RESET',
  'REFRESH_TOKEN_REUSED',
];

/**
 * An action on an account, an invitation, an import, a machine client or a signing key, with its actor. A record has no foreign
 * key, because it is kept after the deletion of the account.
 */
const AuditEventSchema = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  indexes: [
    { properties: ['subjectId', 'id'] },
    { properties: ['action', 'id'] },
    { properties: ['gymId', 'id'] },
    { properties: ['gymId', 'action', 'id'] },
  ],
  triggers: [
    // Even the service cannot change a record. It can remove only old ones, see server/retention/audit-retention.ts.
    {
      name: 'audit_event_append_only',
      timing: 'before',
      events: ['update', 'delete'], // its migration adds truncate, which the schema comparison does not check
      forEach: 'statement',
      body: `raise exception 'audit_event is append-only'`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    at: p.datetime().onCreate(() => new Date()),
    action: p.string().length(40).$type<AuditAction>(),
    /** `user:<id>`, `service:<name>`, `client:<id>` or `anonymous`. */
    actor: p.string().length(80),
    /** The user whose account the action concerned; null if it concerned no account, or must not name it (`GymInvitation`). */
    subjectId: p.uuid().nullable(),
    /** The gym whose staff see the record; null if only a SUPER_ADMIN does. */
    gymId: p.uuid().nullable(),
    /** What has changed; never a name, an address, a password or a token. */
    details: p.json<Record<string, string | null>>(),
    requestId: p.string().length(128),
  },
});

export class AuditEvent extends AuditEventSchema.class {}
AuditEventSchema.setClass(AuditEvent);
