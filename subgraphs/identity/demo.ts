import { DEMO_GYMS, DEMO_PASSWORD, DEMO_PEOPLE, demoId, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AccountDeletion } from './accounts/account-deletion.entity.ts';
import { insertDemoMembers } from './demo-members.ts';
import type { Passwords } from './users/passwords.ts';
import { newQrCode } from './users/qr-code.ts';
import { User } from './users/user.entity.ts';

/**
 * Creates the six demo users, and an import that has created two of them. An existing account is not changed, and a deleted
 * one is not created again.
 * @param withHistory whether the first start also creates the other members of the demo gyms
 */
export async function demo(unit: UnitOfWork, passwords: Passwords, withHistory: boolean): Promise<void> {
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
    // If another account has the email already, that account is not changed, and the demo user is not created.
    await unit.em.execute(
      `insert into user_account (id, email, password_hash, display_name, role, gym_id, membership_gym_id, membership_status, membership_since, email_verified_at, qr_code, timezone, created_at, updated_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
      [
        person.id,
        person.email,
        passwordHash,
        person.displayName,
        person.role,
        person.gymId,
        person.gymId,
        person.gymId ? 'ACTIVE' : null,
        person.gymId ? created.createdAt : null,
        created.createdAt,
        newQrCode(),
        person.timezone,
        created.createdAt,
        created.updatedAt,
      ],
    );
  }
  await demoImport(unit);
  if (withHistory && known.size === 0) await insertDemoMembers(unit, passwordHash);
}

/** Stores a finished import of members into Iron Temple. */
async function demoImport(unit: UnitOfWork): Promise<void> {
  const importId = demoId('101', 1);
  const members = [demoPerson('maya@iron.test'), demoPerson('leo@iron.test')];
  const now = new Date();
  await unit.em.execute(
    `insert into user_import (id, gym_id, status, invites, total, created, started_at, finished_at)
     values (?, ?, 'DONE', false, ?, ?, ?, ?) on conflict do nothing`,
    [importId, DEMO_GYMS.ironTemple.id, members.length, members.length, now, now],
  );
  for (const [index, { id }] of members.entries())
    await unit.em.execute(
      `insert into user_import_line (import_id, line, status, user_id)
       select ?, ?, 'CREATED', id from user_account where id = ? on conflict do nothing`,
      [importId, index + 1, id],
    );
}
