import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Role } from '#server/auth/viewer.ts';
import { runOnce } from '#server/database/read.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ResetPurpose } from '../password-resets/password-reset.entity.ts';
import { requestPasswordMail } from '../password-resets/request-password-mail.ts';
import { columnsOfMembership } from '../memberships/membership.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { recordNewMembers } from '../users/member-events.ts';
import { newQrCode } from '../users/qr-code.ts';
import { User } from '../users/user.entity.ts';

/** Lines that are written as accounts in one transaction. */
const WRITTEN_AT_ONCE = 200;
/** How often a batch is written again because somebody registered one of its emails at the same moment. */
const MAX_COLLISIONS = 5;

/** Writes the stored lines of imports as accounts, a batch in each transaction. */
export class UserImportWriter {
  private readonly unit: UnitOfWork;
  private readonly gyms: GymsOfUsers;

  constructor(unit: UnitOfWork, gyms: GymsOfUsers) {
    this.unit = unit;
    this.gyms = gyms;
  }

  /** Writes the next lines of an import as accounts. @returns whether there are further lines */
  async writeNext(id: string): Promise<boolean> {
    for (let collisions = 0; ; collisions += 1)
      try {
        return await this.unit.transaction(() => this.writeBatch(id));
      } catch (error) {
        if (!(error instanceof UniqueConstraintViolationException) || collisions === MAX_COLLISIONS)
          throw error;
        this.unit.em.clear();
      }
  }

  private async writeBatch(id: string): Promise<boolean> {
    const { em } = this.unit;
    const [stored] = await em.execute<{ gymId: string }[]>(
      'select gym_id as "gymId" from user_import where id = ?',
      [id],
    );
    if (!stored || (await this.gyms.isRemoved(stored.gymId))) return false;
    const [found] = await em.execute<{ gymId: string; invites: boolean }[]>(
      `select gym_id as "gymId", invites from user_import where id = ? and status = 'RUNNING' for update`,
      [id],
    );
    if (!found) return false;
    const lines = await em.execute<PendingLine[]>(
      `select line, email, display_name as "displayName" from user_import_line where import_id = ? and status = 'PENDING' order by line limit ?`,
      [id, WRITTEN_AT_ONCE],
    );
    const results = await this.createUsers(lines, found);
    await runOnce(
      em,
      `update user_import_line set status = result.status, user_id = result.user_id, email = null, display_name = null
       from unnest(?::int[], ?::text[], ?::uuid[]) as result (line, status, user_id)
       where import_id = ? and user_import_line.line = result.line`,
      [
        results.map(({ line }) => line),
        results.map(({ status }) => status),
        results.map(({ userId }) => userId),
        id,
      ],
    );
    const created = results.filter(({ status }) => status === 'CREATED').length;
    const isLast = lines.length < WRITTEN_AT_ONCE;
    await em.execute(
      `update user_import set created = created + ?, existing = existing + ?, status = ?, finished_at = ? where id = ?`,
      [created, results.length - created, isLast ? 'DONE' : 'RUNNING', isLast ? new Date() : null, id],
    );
    return !isLast;
  }

  /**
   * Creates accounts for the emails that have none, and returns the results of all lines. An existing account is never changed,
   * nor moved to this gym.
   */
  private async createUsers(
    lines: readonly PendingLine[],
    { gymId, invites }: { gymId: string; invites: boolean },
  ): Promise<LineResult[]> {
    const rows = await this.unit.read<{ id: string; email: string; gymId: string | null }>(
      `select id, lower(email) as email, membership_gym_id as "gymId" from user_account where lower(email) = any(?::text[])`,
      [lines.map(({ email }) => email.toLowerCase())],
    );
    const known = new Map(rows.map((row) => [row.email, row]));
    const results: LineResult[] = [];
    const created: User[] = [];
    for (const { line, email, displayName } of lines) {
      const existing = known.get(email.toLowerCase());
      if (existing) {
        results.push({ line, status: 'EXISTING', userId: existing.gymId === gymId ? existing.id : null });
        continue;
      }
      const userId = uuidv7();
      const user = this.unit.em.create(User, {
        id: userId,
        email,
        displayName,
        passwordHash: null,
        role: Role.MEMBER,
        ...columnsOfMembership({ gymId, status: 'ACTIVE' }),
        qrCode: newQrCode(),
      });
      created.push(user);
      known.set(email.toLowerCase(), { id: userId, email, gymId });
      results.push({ line, status: 'CREATED', userId });
    }
    await this.unit.em.flush();
    await recordNewMembers(this.unit, created);
    if (invites)
      for (const [index, { status }] of results.entries())
        if (status === 'CREATED')
          await requestPasswordMail(this.unit, (lines[index] as PendingLine).email, ResetPurpose.INVITATION);
    return results;
  }
}

interface PendingLine {
  line: number;
  email: string;
  displayName: string;
}

interface LineResult {
  line: number;
  status: 'CREATED' | 'EXISTING';
  /** Null for an account whose latest membership is not of this gym: the gym's staff must not learn who has the account. */
  userId: string | null;
}
