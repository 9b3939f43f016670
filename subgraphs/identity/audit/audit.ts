import { callerKey, requireRole, Role, type Viewer } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { uuidv7 } from '#server/ids.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { z } from 'zod';
import { AuditEvent, type AuditAction } from './audit-event.entity.ts';
import { AuditEventShape } from './audit.shapes.ts';

const cursors = cursorsOf('audit-events', z.tuple([z.uuid()]));

/** The append-only audit trail of accounts. */
export class Audit {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** Writes one record, in the transaction of the action. */
  async record(
    action: AuditAction,
    subjectId: string | null,
    details: Record<string, string | null> = {},
  ): Promise<void> {
    const { viewer, origin } = this.unit;
    await this.unit.em.insert(AuditEvent, {
      id: uuidv7(),
      at: new Date(),
      action,
      actor: actorOf(viewer),
      subjectId,
      details:
        viewer.kind === 'service' && viewer.onBehalfOf
          ? { ...details, onBehalfOf: viewer.onBehalfOf }
          : details,
      requestId: origin.requestId,
    });
  }

  /** The records, the newest first; only those about one user if `userId` is given. For SUPER_ADMIN. */
  async list(request: PageRequest & { userId?: string | null | undefined }): Promise<Page<AuditEventShape>> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const before = cursors.read(request.cursor);
    const rows = await this.unit.em.find(
      AuditEvent,
      { ...(request.userId && { subjectId: request.userId }), ...(before && { id: { $lt: before[0] } }) },
      { orderBy: { id: 'desc' }, limit: pageSize(request) + 1 },
    );
    return mapPage(
      cursors.page(rows, request, (event) => [event.id]),
      presentEvent,
    );
  }
}

const actorOf = (viewer: Viewer): string => (viewer.kind === 'anonymous' ? 'anonymous' : callerKey(viewer));

export const presentEvent = (event: AuditEvent): AuditEventShape => presented(AuditEventShape, event);
