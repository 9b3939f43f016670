import { DEMO_PASSWORD, DEMO_PEOPLE } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AccountDeletion } from './accounts/account-deletion.entity.ts';
import type { Passwords } from './users/passwords.ts';
import { newQrCode } from './users/qr-code.ts';
import { User } from './users/user.entity.ts';

/** Creates the six demo users. An existing account is not changed, and a deleted one is not created again. */
export async function demo(unit: UnitOfWork, passwords: Passwords): Promise<void> {
  const ids = DEMO_PEOPLE.map(({ id }) => id);
  const present = await unit.em.find(User, { id: { $in: ids } });
  const deleted = await unit.em.find(AccountDeletion, { userId: { $in: ids } });
  const known = new Set([...present.map(({ id }) => id), ...deleted.map(({ userId }) => userId)]);
  const missing = DEMO_PEOPLE.filter(({ id }) => !known.has(id));
  if (missing.length === 0) return;
  const passwordHash = await passwords.hash(DEMO_PASSWORD);
  const created = {
    createdAt: new Date('2026-01-01T00:00:00Z'),
    updatedAt: new Date('2026-01-01T00:00:00Z'),
  };
  for (const person of missing) {
    // If another account has the email by now, it keeps the email, and the demo user is not created.
    await unit.em.execute(
      `insert into user_account (id, email, password_hash, display_name, role, gym_id, qr_code, timezone, created_at, updated_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
      [
        person.id,
        person.email,
        passwordHash,
        person.displayName,
        person.role,
        person.gymId,
        newQrCode(),
        person.timezone,
        created.createdAt,
        created.updatedAt,
      ],
    );
  }
}
