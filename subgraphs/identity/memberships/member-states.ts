import { requireService, type Role } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { membershipOf, type MembershipColumns } from './membership.ts';
import type { MemberStateShape } from './memberships.shapes.ts';

interface StateRow extends MembershipColumns {
  id: string;
  role: Role;
  suspended: boolean;
}

const STATES = `
  select id, role, suspended_at is not null as suspended, gym_id as "gymId", membership_gym_id as "membershipGymId",
         membership_status as "membershipStatus", membership_since as "membershipSince",
         membership_until as "membershipUntil", membership_reason as "membershipReason"
  from user_account where id = any(?::uuid[])`;

/** Roles, suspensions and memberships of users. Other services ask for them before they check a member in, or book for them. */
export class MemberStates {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** The states of these users at this moment; users without an account are left out. For services. */
  async of(userIds: readonly string[]): Promise<MemberStateShape[]> {
    requireService(this.unit.viewer);
    const rows = await this.unit.read<StateRow>(STATES, [userIds]);
    return rows.map((row) => ({
      userId: row.id,
      role: row.role,
      suspended: row.suspended,
      membership: membershipOf(row),
    }));
  }
}
