import type { Readable } from 'node:stream';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import {
  isClientWith,
  requireGymAdmin,
  requireGymOfClient,
  requireRole,
  requireScope,
  Role,
  runsGym,
} from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { ResetPurpose } from '../password-resets/password-reset.entity.ts';
import type { PasswordResets } from '../password-resets/password-resets.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { newQrCode } from '../users/qr-code.ts';
import { User } from '../users/user.entity.ts';
import { importLines, type ImportFormat, type ImportLine } from './import-lines.ts';
import { UserImport, UserImportLine } from './user-import.entity.ts';
import {
  LINES_LIMIT,
  UserImportLineShape,
  UserImportLinesQuery,
  UserImportShape,
  type UserImportWithLinesShape,
} from './user-imports.shapes.ts';

/** Lines of the file that are stored in one statement. */
const STORED_AT_ONCE = 1_000;
/** Lines that are written as accounts in one transaction. */
const WRITTEN_AT_ONCE = 200;
/** How often a batch is written again because somebody registered one of its emails at the same moment. */
const MAX_COLLISIONS = 5;

interface ImportOptions {
  format: ImportFormat;
  gymId?: string | null | undefined;
  invite?: boolean | null | undefined;
}

/**
 * Imports of many members into one gym. The lines of the file are stored first, so that the rest can be done without the
 * client, and after a restart; then they are written as accounts without a password, a batch in each transaction.
 */
export class UserImports {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;
  private readonly resets: PasswordResets;
  /** Makes an import continue after the transaction is committed. */
  private readonly schedule: (importId: string) => Promise<void>;

  constructor(
    unit: UnitOfWork,
    { audit, gyms, resets, schedule }: Pick<UserImports, 'audit' | 'gyms' | 'resets' | 'schedule'>,
  ) {
    this.unit = unit;
    this.audit = audit;
    this.gyms = gyms;
    this.resets = resets;
    this.schedule = schedule;
  }

  /**
   * Stores the lines of a file, and begins to write them. If the file does not arrive completely, nothing of it is imported.
   * @throws FORBIDDEN, GYM_REQUIRED; VALIDATION_FAILED for an unknown gym; the errors of `importLines`
   */
  async receive(file: Readable, { format, gymId: named, invite }: ImportOptions): Promise<UserImportShape> {
    const gymId = this.requireGym(named);
    await this.gyms.requireExists(gymId);
    const id = uuidv7();
    await this.unit.em.insert(UserImport, {
      id,
      gymId,
      status: 'RECEIVING',
      invites: invite ?? false,
      startedAt: new Date(),
    });
    try {
      await this.store(id, importLines(file, format));
    } catch (error) {
      await this.unit.em.nativeDelete(UserImport, { id });
      throw error;
    }
    return this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gymId);
      const [counts] = await this.unit.em.execute<{ total: number; failed: number }[]>(
        `select count(*)::int as total, (count(*) filter (where status = 'FAILED'))::int as failed from user_import_line where import_id = ?`,
        [id],
      );
      const { total = 0, failed = 0 } = counts ?? {};
      await this.unit.em.nativeUpdate(UserImport, { id }, { status: 'RUNNING', total, failed });
      await this.audit.record('USERS_IMPORTED', null, { importId: id, gymId, lines: String(total) });
      await this.schedule(id);
      return present(await this.unit.em.findOneOrFail(UserImport, { id }, { refresh: true }));
    });
  }

  /** @throws NOT_FOUND also for another gym's import */
  async get(id: string): Promise<UserImportShape> {
    const { viewer } = this.unit;
    const found = isUuid(id) ? await this.unit.em.findOne(UserImport, { id }) : null;
    if (!found || !(runsGym(viewer, found.gymId) || isClientWith(viewer, 'members:write', found.gymId)))
      throw notFound('import', id);
    return present(found);
  }

  /** The import with some of its lines, in the order of the file. @throws the errors of `get` */
  async withLines(id: string, query: unknown = {}): Promise<UserImportWithLinesShape> {
    const { status, after = 0, limit = LINES_LIMIT } = validated(UserImportLinesQuery, query);
    const found = await this.get(id);
    const rows = await this.unit.em.find(
      UserImportLine,
      { importId: found.id, line: { $gt: after }, ...(status && { status }) },
      { orderBy: { line: 'asc' }, limit: limit + 1 },
    );
    const lines = rows.slice(0, limit).map((row) => presented(UserImportLineShape, row));
    return { ...found, lines, nextAfter: rows.length > limit ? (lines.at(-1)?.line ?? null) : null };
  }

  /** Writes the next lines of an import as accounts. @returns whether there are further ones */
  async writeNext(id: string): Promise<boolean> {
    for (let collisions = 0; ; collisions += 1)
      try {
        return await this.unit.transaction(() => this.writeBatch(id));
      } catch (error) {
        if (!(error instanceof UniqueConstraintViolationException) || collisions === MAX_COLLISIONS) throw error;
        this.unit.em.clear();
      }
  }

  private requireGym(named: string | null | undefined): string {
    const { viewer } = this.unit;
    if (viewer.kind === 'client') {
      requireScope(viewer, 'members:write');
      return requireGymOfClient(viewer, named);
    }
    requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    return requireGymAdmin(viewer, named);
  }

  private async store(importId: string, lines: AsyncIterable<ImportLine>): Promise<void> {
    let rows: Partial<UserImportLine>[] = [];
    const write = async (): Promise<void> => {
      if (rows.length > 0) await this.unit.em.insertMany(UserImportLine, rows);
      rows = [];
    };
    for await (const { line, ...read } of lines) {
      rows.push(
        'member' in read
          ? { importId, line, status: 'PENDING', ...read.member }
          : { importId, line, status: 'FAILED', errors: read.errors },
      );
      if (rows.length === STORED_AT_ONCE) await write();
    }
    await write();
  }

  private async writeBatch(id: string): Promise<boolean> {
    const { em } = this.unit;
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
    await em.execute(
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
      [
        created,
        results.length - created,
        isLast ? 'DONE' : 'RUNNING',
        isLast ? new Date() : null,
        id,
      ],
    );
    return !isLast;
  }

  /** Accounts for the emails that have none. An account that exists is never changed, nor moved to this gym. */
  private async createUsers(
    lines: readonly PendingLine[],
    { gymId, invites }: { gymId: string; invites: boolean },
  ): Promise<LineResult[]> {
    await this.gyms.requireNotRemoved(gymId);
    const rows = await this.unit.em.execute<{ id: string; email: string; gymId: string | null }[]>(
      `select id, lower(email) as email, gym_id as "gymId" from user_account where lower(email) = any(?::text[])`,
      [lines.map(({ email }) => email.toLowerCase())],
    );
    const known = new Map(rows.map((row) => [row.email, row]));
    const results: LineResult[] = [];
    for (const { line, email, displayName } of lines) {
      const existing = known.get(email.toLowerCase());
      if (existing) {
        results.push({ line, status: 'EXISTING', userId: existing.gymId === gymId ? existing.id : null });
        continue;
      }
      const userId = uuidv7();
      this.unit.em.create(User, {
        id: userId,
        email,
        displayName,
        passwordHash: null,
        role: Role.MEMBER,
        gymId,
        qrCode: newQrCode(),
      });
      known.set(email.toLowerCase(), { id: userId, email, gymId });
      results.push({ line, status: 'CREATED', userId });
    }
    await this.unit.em.flush();
    if (invites)
      for (const [index, { status }] of results.entries())
        if (status === 'CREATED')
          await this.resets.requestMail((lines[index] as PendingLine).email, ResetPurpose.INVITATION);
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
  /** Null for an account of another gym, which the importing gym must not learn about. */
  userId: string | null;
}

const present = (found: UserImport): UserImportShape => presented(UserImportShape, found);
