import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { Role } from '#server/auth/viewer.ts';
import { conflict } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { columnsOfMembership, type NewMembership } from '../memberships/membership.ts';
import { memberOf, recordMemberChange } from './member-events.ts';
import { newQrCode } from './qr-code.ts';
import { User } from './user.entity.ts';

interface NewUser {
  /** Default: a new id. */
  id?: string | undefined;
  email: string;
  /** Null if the user will set one with the token of an invitation. */
  passwordHash: string | null;
  displayName: string;
  role: Role;
  /** Null for an account without a gym. */
  membership: NewMembership | null;
}

/**
 * Stores a new account and its events, and returns it. The unique constraint refuses one of two simultaneous requests with
 * the same email.
 * @throws CONFLICT if the email is taken, without regard to case
 */
export async function insertUser(
  unit: UnitOfWork,
  { id = uuidv7(), membership, ...fields }: NewUser,
): Promise<User> {
  try {
    return await unit.transaction(async () => {
      const user = unit.em.create(User, {
        id,
        qrCode: newQrCode(),
        ...columnsOfMembership(membership),
        ...fields,
      });
      await unit.em.flush();
      await recordMemberChange(unit, null, memberOf(unit, user));
      return user;
    });
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw conflict('This email is registered already; log in, or reset the password.', {
        errors: [{ path: 'email', message: 'is taken' }],
      });
    throw error;
  }
}
