import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireGymAdmin } from '#server/auth/viewer.ts';
import { columnsOf } from '#server/database/columns.ts';
import { firstIdOf, isUuid } from '#server/ids.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import { instantsOf, RangeInput, type TimeRange } from '#server/time-range.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { actionName, type GymAuditEventShape } from './audit.shapes.ts';
import { timeZoneOf } from '../gyms/gym-time-zone.ts';

const cursors = cursorsOf('audit', z.tuple([uuid()]));

/** The time in the id of a record differs from its `at` by less than this. */
const MARGIN_MILLIS = 1_000; // 1 s

const Row = z.object({
  id: uuid(),
  at: z.iso.datetime(),
  action: z.string(),
  actorId: z.string(),
  details: z.record(z.string(), z.unknown()),
});

const FilterInput = RangeInput.extend({ gymId: uuid().nullish(), action: actionName.nullish() });
type Filter = z.infer<typeof FilterInput>;

/** The audit trail of a gym, for its staff. */
export class AuditTrail {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** A page of the records of a gym, newest first. @throws FORBIDDEN, GYM_REQUIRED, VALIDATION_FAILED */
  async list({ limit, cursor, ...filter }: PageRequest & Filter): Promise<Page<GymAuditEventShape>> {
    const { action, from, to, gymId: chosen } = validated(FilterInput, filter);
    const gymId = requireGymAdmin(this.unit.viewer, chosen);
    const range = instantsOf({ from, to }, from || to ? await timeZoneOf(this.unit, gymId) : 'UTC');
    const before = cursors.read(cursor);
    const request = { limit, cursor };
    const conditions: readonly (readonly [string, unknown])[] = [
      ['gym_id = ?', gymId],
      ...(action ? [['action = ?', action] as const] : []),
      ...boundsOf(range),
      ...(before ? [['id < ?', before[0]] as const] : []),
    ];
    const rows = await this.unit.read<z.infer<typeof Row>>(
      `select ${columnsOf(Row)} from audit_event where ${conditions.map(([sql]) => sql).join(' and ')} order by id desc limit ?`,
      [...conditions.map(([, value]) => value), pageSize(request) + 1],
    );
    return mapPage(
      cursors.page(rows, request, ({ id }) => [id]),
      present,
    );
  }
}

/** The index contains ids, but not `at`. An id begins with the time at which it was made, so a range of times is a range of ids, too. */
const boundsOf = ({ from, to }: TimeRange): (readonly [string, unknown])[] => [
  ...(from
    ? [['at >= ?', from] as const, ['id >= ?', firstIdOf(new Date(from.getTime() - MARGIN_MILLIS))] as const]
    : []),
  ...(to
    ? [['at < ?', to] as const, ['id < ?', firstIdOf(new Date(to.getTime() + MARGIN_MILLIS))] as const]
    : []),
];

function present({ actorId, ...event }: z.infer<typeof Row>): GymAuditEventShape {
  const { userId, locationId } = event.details;
  const subjectId = [userId, locationId].find((id) => typeof id === 'string' && isUuid(id));
  return { ...event, actor: actorOf(actorId), subjectId: typeof subjectId === 'string' ? subjectId : null };
}

/** `user:<id>`, `client:<id>` or `service:<name>`, as in identity's audit trail. The id of a client is stored in this form. */
function actorOf(id: string): string {
  if (isUuid(id)) return `user:${id}`;
  return id.includes(':') ? id : `service:${id}`;
}
