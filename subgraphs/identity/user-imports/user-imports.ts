import type { Readable } from 'node:stream';
import type { RequiredEntityData } from '@mikro-orm/core';
import {
  isClientWith,
  managesGym,
  requireGymAdmin,
  requireGymOfClient,
  requireRole,
  requireScope,
  Role,
} from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { addJob } from '#server/jobs/add-job.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { importLines, type ImportFormat, type ImportLine } from './import-lines.ts';
import { UserImport, UserImportLine } from './user-import.entity.ts';
import { writeUserImport } from './write-user-import.ts';
import {
  LINES_LIMIT,
  UserImportLineShape,
  UserImportLinesQuery,
  UserImportShape,
  type UserImportWithLinesShape,
} from './user-imports.shapes.ts';

/** Lines of the file that are stored in one statement. */
const STORED_AT_ONCE = 1_000;

interface ImportOptions {
  format: ImportFormat;
  gymId?: string | null | undefined;
  invite?: boolean | null | undefined;
}

/**
 * Imports of many members into one gym. The lines of the file are stored first; then the job `user_import` writes them as
 * accounts without a password. So an import continues without its client, and after a restart.
 */
export class UserImports {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;

  constructor(unit: UnitOfWork, audit: Audit, gyms: GymsOfUsers) {
    this.unit = unit;
    this.audit = audit;
    this.gyms = gyms;
  }

  /**
   * Stores the lines of a file, and adds the job that writes them. If the file does not arrive completely, nothing of it is
   * imported.
   * @throws FORBIDDEN, GYM_REQUIRED; VALIDATION_FAILED for an unknown gym; CONFLICT for a gym that is not active; the errors of
   * `importLines`
   */
  async receive(file: Readable, { format, gymId: named, invite }: ImportOptions): Promise<UserImportShape> {
    const gymId = this.requireGym(named);
    await this.gyms.requireJoinable(gymId);
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
      await addJob(this.unit.em, writeUserImport, { importId: id });
      return present(await this.unit.em.findOneOrFail(UserImport, { id }, { refresh: true }));
    });
  }

  /** @throws NOT_FOUND also for another gym's import */
  async get(id: string): Promise<UserImportShape> {
    const { viewer } = this.unit;
    const found = isUuid(id) ? await this.unit.em.findOne(UserImport, { id }) : null;
    if (!found || !(managesGym(viewer, found.gymId) || isClientWith(viewer, 'members:write', found.gymId)))
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

  /** The gym into which the viewer may import. @throws FORBIDDEN, GYM_REQUIRED */
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
    let rows: RequiredEntityData<UserImportLine>[] = [];
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
}

const present = (found: UserImport): UserImportShape => presented(UserImportShape, found);
