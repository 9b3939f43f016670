import type { AnyEntity, EntityName, FilterQuery } from '@mikro-orm/core';
import type { RecordKey } from '#server/accounts/account-part.ts';
import { eventRecords } from '#server/events/erase-events.ts';
import { unauthenticated } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AuditEvent } from '../audit/audit-event.entity.ts';
import { presentEvent } from '../audit/audit.ts';
import { EmailVerification } from '../email-verifications/email-verification.entity.ts';
import { GymInvitation } from '../invitations/gym-invitation.entity.ts';
import { PasswordReset } from '../password-resets/password-reset.entity.ts';
import { Session } from '../sessions/session.entity.ts';
import { User } from '../users/user.entity.ts';
import { presentUser } from '../users/present-user.ts';

/**
 * Everything that identity stores about a user, without hashes and tokens: the text of a JSON object, in chunks of one page
 * each.
 * @throws UNAUTHENTICATED if the account has been deleted
 */
export async function* ownText(unit: UnitOfWork, userId: string): AsyncGenerator<string> {
  const user = await unit.em.findOne(User, { id: userId });
  if (!user) throw unauthenticated('Your account has been deleted.');
  yield `{"user":${JSON.stringify(presentUser(unit, user, asOwner(user)))}`;
  for (const [kind, pages] of Object.entries(kindsOf(unit, userId))) {
    yield `,${JSON.stringify(kind)}:[`;
    let separator = '';
    for await (const records of pages) {
      yield separator + records.map((record) => JSON.stringify(record)).join(',');
      separator = ',';
    }
    yield ']';
  }
  yield '}';
}

const kindsOf = (unit: UnitOfWork, userId: string): Record<string, AsyncGenerator<readonly object[]>> => ({
  events: eventsOf(unit, userId),
  sessions: pagesOf(unit, Session, { user: userId }, presentSession),
  passwordResets: pagesOf(unit, PasswordReset, { userId }, presentReset),
  emailVerifications: pagesOf(unit, EmailVerification, { userId }, presentVerification),
  gymInvitations: pagesOf(unit, GymInvitation, { userId }, presentInvitation),
  auditEvents: pagesOf(unit, AuditEvent, { subjectId: userId }, presentEvent),
});

const PAGE = 500; // records

/** The records in the order of their ids, page by page. Each page is read in a fork, so that the unit does not keep all rows. */
async function* pagesOf<Entity extends AnyEntity & { id: string }>(
  unit: UnitOfWork,
  entity: EntityName<Entity>,
  about: object,
  presented: (one: Entity) => object,
): AsyncGenerator<readonly object[]> {
  let after: string | undefined;
  do {
    const found = await unit.em.fork().find(
      entity,
      { ...about, ...(after && { id: { $gt: after } }) } as FilterQuery<Entity>,
      // `Entity` is a type parameter, so TypeScript cannot check that `id` is one of its keys.
      { orderBy: { id: 'asc' } as never, limit: PAGE },
    );
    if (found.length > 0) yield found.map((one) => presented(one as Entity));
    after = found.length === PAGE ? found.at(-1)?.id : undefined;
  } while (after !== undefined);
}

async function* eventsOf(unit: UnitOfWork, userId: string): AsyncGenerator<readonly object[]> {
  const events = eventRecords(unit);
  let after: RecordKey | undefined;
  do {
    const found = await events(userId, after, PAGE);
    if (found.length > 0) yield found.map(({ record }) => record);
    after = found.length === PAGE ? found.at(-1)?.key : undefined;
  } while (after !== undefined);
}

const presentSession = ({ id, createdAt, lastUsedAt, expiresAt, userAgent, address }: Session) => ({
  id,
  createdAt,
  lastUsedAt,
  expiresAt,
  userAgent,
  address,
});

const presentReset = ({ purpose, email, requestedAt, sentAt }: PasswordReset) => ({
  purpose,
  email,
  requestedAt,
  sentAt: sentAt ?? null,
});

const presentVerification = ({ requestedAt, sentAt, expiresAt }: EmailVerification) => ({
  requestedAt,
  sentAt: sentAt ?? null,
  expiresAt: expiresAt ?? null,
});

const presentInvitation = ({ gymId, displayName, createdAt, sentAt, expiresAt }: GymInvitation) => ({
  gymId,
  displayName,
  createdAt,
  sentAt: sentAt ?? null,
  expiresAt: expiresAt ?? null,
});

/** The user as the viewer of their own data. The session is empty, because they need not be logged in while an export runs. */
const asOwner = ({ id, role, gymId }: User) =>
  ({ kind: 'user', userId: id, role, gymId: gymId ?? null, sessionId: '', expiresAt: 0 }) as const;
