import { unauthenticated } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AuditEvent } from '../audit/audit-event.entity.ts';
import { presentEvent } from '../audit/audit.ts';
import { PasswordReset } from '../password-resets/password-reset.entity.ts';
import { Session } from '../sessions/session.entity.ts';
import { User } from '../users/user.entity.ts';
import { presentUser } from '../users/users.ts';

/** Everything that identity stores about a user, without hashes and tokens. `user` is an object, as in the API; all other kinds are lists. */
export async function ownRecords(unit: UnitOfWork, userId: string): Promise<object> {
  const { em } = unit;
  const user = await em.findOne(User, { id: userId });
  if (!user) throw unauthenticated('Your account has been deleted.');
  const sessions = await em.find(
    Session,
    { user: userId },
    { orderBy: { id: 'asc' }, limit: MAX_RECORDS_PER_KIND },
  );
  const resets = await em.find(
    PasswordReset,
    { userId },
    { orderBy: { id: 'asc' }, limit: MAX_RECORDS_PER_KIND },
  );
  const events = await em.find(
    AuditEvent,
    { subjectId: userId },
    { orderBy: { id: 'asc' }, limit: MAX_RECORDS_PER_KIND },
  );
  return {
    user: presentUser(unit, user, asOwner(user)),
    sessions: sessions.map(({ id, createdAt, lastUsedAt, expiresAt, userAgent, address }) => ({
      id,
      createdAt,
      lastUsedAt,
      expiresAt,
      userAgent,
      address,
    })),
    passwordResets: resets.map(({ purpose, email, requestedAt, sentAt }) => ({
      purpose,
      email,
      requestedAt,
      sentAt: sentAt ?? null,
    })),
    auditEvents: events.map(presentEvent),
  };
}

/** The maximum number of records of one kind in an export, the oldest first. A user normally has far fewer. */
const MAX_RECORDS_PER_KIND = 10_000;

/** The user as the viewer of their own data. They need not be logged in while an export runs, so there is no session. */
const asOwner = ({ id, role, gymId }: User) =>
  ({ kind: 'user', userId: id, role, gymId: gymId ?? null, sessionId: '', expiresAt: 0 }) as const;
