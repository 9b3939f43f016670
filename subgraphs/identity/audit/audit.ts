import type { EntityManager } from '@mikro-orm/postgresql';
import { callerKey, requireGym, requireRole, Role, type Viewer } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { firstIdOf, isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import { instantsOf, type TimeRange } from '#server/time-range.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { AuditEvent, PRIVATE_ACTIONS, type AuditAction } from './audit-event.entity.ts';
import { AuditEventShape, AuditFilter } from './audit.shapes.ts';

type AuditRequest = PageRequest &
  Omit<z.infer<typeof AuditFilter>, 'action'> & { action?: string | null | undefined };

const cursors = cursorsOf('audit-events', z.tuple([uuid()]));

/** The append-only audit trail of accounts. */
export class Audit {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Writes one record, in the transaction of the action.
   * @param subjectId the user whose account the action concerns; null if it concerns none, or must not name it
   * @param em the EntityManager of the transaction, if it is not that of this unit of work
   */
  async record(
    action: AuditAction,
    subjectId: string | null,
    details: Record<string, string | null> = {},
    em: EntityManager = this.unit.em,
  ): Promise<void> {
    const { viewer, origin } = this.unit;
    const isPrivate = PRIVATE_ACTIONS.includes(action);
    const all =
      viewer.kind === 'service' && viewer.onBehalfOf
        ? { ...details, onBehalfOf: viewer.onBehalfOf }
        : details;
    // `GYM` is the gym in `details.gymId`, else that of the user, else the one that they join (`details.to`).
    await em.execute(
      `insert into audit_event (id, at, action, actor, subject_id, gym_id, details, request_id)
       values (?, ?, ?, ?, ?, ${isPrivate ? 'null' : GYM}, ?, ?)`,
      [
        uuidv7(),
        new Date(),
        action,
        actorOf(viewer),
        subjectId,
        ...(isPrivate ? [] : [idIn(details.gymId), subjectId, idIn(details.to)]),
        JSON.stringify(all),
        origin.requestId,
      ],
    );
  }

  /** All records, newest first; only those about one user if `userId` is given. For SUPER_ADMIN. */
  async listAll(
    request: PageRequest & { userId?: string | null | undefined },
  ): Promise<Page<AuditEventShape>> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    return this.list(request);
  }

  /**
   * The records, newest first: of their own gym for a GYM_ADMIN; for a SUPER_ADMIN all, or those of one gym. Local dates are
   * those of the viewer.
   */
  async list({ limit, cursor, ...filter }: AuditRequest): Promise<Page<AuditEventShape>> {
    const viewer = requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { userId, gymId: chosen, action, from, to } = validated(AuditFilter, filter);
    const gymId = viewer.role === Role.SUPER_ADMIN ? chosen : requireGym(viewer, chosen);
    const range = instantsOf({ from, to }, from || to ? await this.zoneOf(viewer.userId) : 'UTC');
    const [before] = cursors.read(cursor) ?? [];
    const request = { limit, cursor };
    const bounds = [...boundsOf(range), ...(before ? [{ id: { $lt: before } }] : [])];
    const rows = await this.unit.em.find(
      AuditEvent,
      {
        ...(userId && { subjectId: userId }),
        ...(gymId && { gymId }),
        ...(action && { action }),
        ...(bounds.length > 0 && { $and: bounds }),
      },
      { orderBy: { id: 'desc' }, limit: pageSize(request) + 1 },
    );
    return mapPage(
      cursors.page(rows, request, (event) => [event.id]),
      presentEvent,
    );
  }

  private async zoneOf(userId: string): Promise<string> {
    const [user] = await this.unit.read<{ timezone: string }>(
      'select timezone from user_account where id = ?',
      [userId],
    );
    return user?.timezone ?? 'UTC';
  }
}

const MARGIN_MILLIS = 1_000; // 1 s

/** No index contains `at`, so ids are compared, too. The margin is for ids whose time differs from `at` by milliseconds. */
const boundsOf = ({ from, to }: TimeRange) => [
  ...(from
    ? [{ at: { $gte: from }, id: { $gte: firstIdOf(new Date(from.getTime() - MARGIN_MILLIS)) } }]
    : []),
  ...(to ? [{ at: { $lt: to }, id: { $lt: firstIdOf(new Date(to.getTime() + MARGIN_MILLIS)) } }] : []),
];

const idIn = (text: string | null | undefined): string | null => (text && isUuid(text) ? text : null);

const GYM = 'coalesce(?::uuid, (select gym_id from user_account where id = ?), ?::uuid)';

const actorOf = (viewer: Viewer): string => (viewer.kind === 'anonymous' ? 'anonymous' : callerKey(viewer));

export const presentEvent = (event: AuditEvent): AuditEventShape => presented(AuditEventShape, event);
