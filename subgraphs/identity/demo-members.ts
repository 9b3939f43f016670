import { DEMO_MEMBERS, Seeded } from '#server/demo-history.ts';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { newQrCode } from './users/qr-code.ts';

const CREATED_AT = new Date('2026-01-01T00:00:00Z');
const FROZEN_UNTIL_DAYS = 21; // from the first start

const BIOS: readonly (string | null)[] = [
  'Three times a week, whatever happens.',
  null,
  'Learning to deadlift. Ask me about coffee.',
  null,
  'Runs far, lifts little.',
  null,
];

/**
 * Creates the members of the demo history with memberships of every status, and the audit records of the memberships that
 * staff have changed.
 */
export async function insertDemoMembers(unit: UnitOfWork, passwordHash: string): Promise<void> {
  const random = new Seeded('identity');
  const now = new Date();
  const accounts = DEMO_MEMBERS.map(({ id, email, displayName, gymId, timezone, status }, index) => {
    const belongs = status === 'ACTIVE' || status === 'FROZEN';
    const since = status === 'ACTIVE' ? CREATED_AT : new Date(now.getTime() - (3 + (index % 8)) * DAY_MILLIS);
    return {
      id,
      email,
      timezone,
      display_name: displayName,
      password_hash: passwordHash,
      qr_code: newQrCode(),
      role: 'MEMBER',
      bio: BIOS[index % BIOS.length],
      created_at: status === 'PENDING' ? since : CREATED_AT,
      gym_id: belongs ? gymId : null,
      membership_gym_id: gymId,
      membership_status: status,
      membership_since: since,
      membership_until: status === 'FROZEN' ? new Date(now.getTime() + FROZEN_UNTIL_DAYS * DAY_MILLIS) : null,
      membership_reason: status === 'FROZEN' ? 'A long journey.' : status === 'ENDED' ? 'Moved away.' : null,
      membership_awaits: status === 'PENDING' ? 'APPROVAL' : null,
      email_verified_at: CREATED_AT,
    };
  });
  // If an account with the same email or id exists already, it is not changed.
  await unit.em.execute(
    `insert into user_account (${COLUMNS}, updated_at)
     select ${COLUMNS}, created_at from jsonb_populate_recordset(null::user_account, ?::jsonb) on conflict do nothing`,
    [JSON.stringify(accounts)],
  );
  const changes = accounts
    .filter(({ membership_status: status }) => status === 'FROZEN' || status === 'ENDED')
    .map(({ id, membership_gym_id: gymId, membership_status: to, membership_since: at }) => ({
      id: random.idAt(at),
      at,
      action: 'MEMBERSHIP_CHANGED',
      subject_id: id,
      gym_id: gymId,
      actor: `user:${gymId === DEMO_GYMS.ironTemple.id ? STAFF.iron : STAFF.aqua}`,
      details: { gymId, from: 'ACTIVE', to },
      request_id: 'demo-data',
    }));
  await unit.em.execute(
    `insert into audit_event select * from jsonb_populate_recordset(null::audit_event, ?::jsonb) on conflict do nothing`,
    [JSON.stringify(changes)],
  );
}

const STAFF = { iron: demoPerson('admin@iron.test').id, aqua: demoPerson('admin@aqua.test').id };
const COLUMNS = `id, email, password_hash, display_name, bio, role, gym_id, membership_gym_id, membership_status, membership_since,
  membership_until, membership_reason, membership_awaits, email_verified_at, qr_code, timezone, created_at`;
