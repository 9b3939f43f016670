import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireUser, requireUserOrScope } from '#server/auth/viewer.ts';
import type { Notifications } from '#server/database/notifications.ts';
import { checkVersion, forbidden, invalid, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayManage, maySeeClass } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { gymOf, requireFits } from './classes.ts';
import { changeSessions, type SessionChangeInput } from './session-changes.ts';
import { changedSince, sessionEvents, type SessionChanged } from './session-events.ts';
import {
  ClassSessionsFilter,
  SESSIONS,
  UpdateClassSessionInput,
  type SessionRow,
} from './sessions.shapes.ts';
import { hasDay, boundedRangeOf, type BoundedRange } from './time-range.ts';

const cursors = cursorsOf('classSessions', z.tuple([z.iso.datetime(), uuid()]));

export interface SessionsRequest extends PageRequest {
  gymId?: string | null | undefined;
  locationId?: string | null | undefined;
  classId?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** The sessions of classes. The gym's users see them, its staff change them. */
export class Sessions {
  private readonly unit: UnitOfWork;
  private readonly notifications: Notifications;
  private readonly byId = loaderOf(
    (ids) => this.unit.read<SessionRow>(`${SESSIONS} where class_session.id = any(?::uuid[])`, [ids]),
    (session) => session.id,
  );

  constructor(unit: UnitOfWork, notifications: Notifications) {
    this.unit = unit;
    this.notifications = notifications;
  }

  /** The sessions in a range of time, the earliest first; its days are those of each session's location. */
  async list(request: SessionsRequest): Promise<Page<SessionRow>> {
    const { viewer } = this.unit;
    const filter = validated(ClassSessionsFilter, {
      gymId: request.gymId,
      locationId: request.locationId,
      classId: request.classId,
      from: request.from,
      to: request.to,
    });
    const gymId = gymOf(viewer, filter.gymId);
    const locationId =
      viewer.kind === 'client' ? (viewer.locationId ?? filter.locationId) : filter.locationId;
    const ranges = await this.rangesAt(gymId, locationId, filter);
    const after = cursors.read(request.cursor);
    const rows = await this.unit.read<SessionRow>(
      `${SESSIONS} where ${locationId ? 'location_id' : 'gym_id'} = ? and starts_at >= ? and starts_at < ?
       ${locationId ? 'and gym_id = ?' : ''} ${filter.classId ? 'and class_id = ?' : ''}
       ${after ? 'and (starts_at, id) > (?, ?)' : ''}
       and exists (select 1 from unnest(?::uuid[], ?::timestamptz[], ?::timestamptz[]) as span (location_id, from_at, to_at)
         where span.location_id = class_session.location_id
           and class_session.starts_at >= span.from_at and class_session.starts_at < span.to_at)
       order by starts_at, id limit ?`,
      [
        locationId ?? gymId,
        earliest(ranges),
        latest(ranges),
        ...(locationId ? [gymId] : []),
        ...(filter.classId ? [filter.classId] : []),
        ...(after ?? []),
        ranges.map(({ id }) => id),
        ranges.map(({ from }) => from),
        ranges.map(({ to }) => to),
        pageSize(request) + 1,
      ],
    );
    return cursors.page(rows, request, ({ startsAt, id }) => [startsAt, id]);
  }

  /** @throws NOT_FOUND, also for another gym's session */
  async get(id: string): Promise<SessionRow> {
    const { viewer } = this.unit;
    requireUserOrScope(viewer, 'classes:read');
    const session = isUuid(id) ? await this.byId.load(id) : null;
    if (!session || !maySeeClass(viewer, session)) throw notFound('class session', id);
    return session;
  }

  /** As `get`, after a change in the same unit of work. */
  async fresh(id: string): Promise<SessionRow> {
    this.byId.clear(id);
    return this.get(id);
  }

  /**
   * Changes or cancels a session; with the scope FOLLOWING, also all later sessions of its class. A larger capacity gives
   * places to those who wait.
   * @throws SESSION_CLOSED, CONFLICT if more people are booked than the new capacity
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<SessionRow> {
    const change = validated(UpdateClassSessionInput, input);
    const { viewer } = this.unit;
    const { userId } = requireUser(viewer);
    const { gymId, classId, locationId } = await this.get(id);
    if (!mayManage(viewer, { gymId })) throw forbidden('Only the staff of the gym may change sessions.');
    if (change.startsAt && Date.parse(change.startsAt) <= Date.now())
      throw invalid('startsAt', 'expected a time in the future');
    await this.unit.transaction(async () => {
      await requireOpenGym(this.unit, gymId);
      const [location] = await this.unit.run<{ capacity: number; timezone: string }>(
        'select capacity, timezone from location where id = ?',
        [locationId],
      );
      if (!location) throw notFound('class session', id);
      if (change.capacity) requireFits(change.capacity, location.capacity);
      await changeSessions(this.unit, {
        id,
        classId,
        zone: location.timezone,
        change: changeOf(change),
        follows: change.scope === 'FOLLOWING',
        decide: ({ version }) => checkVersion('class session', expectedVersion ?? change.version, version),
      });
      await audit(this.unit, {
        gymId,
        actorId: userId,
        action: change.status === 'CANCELLED' ? 'SESSION_CANCELLED' : 'SESSION_UPDATED',
        details: { sessionId: id, classId, locationId, scope: change.scope ?? 'THIS' },
      });
    });
    return this.fresh(id);
  }

  /** An event at each change of a session at the location. @throws NOT_FOUND, also for another gym's location */
  async changes(locationId: string): Promise<AsyncIterableIterator<SessionChanged>> {
    const { viewer } = this.unit;
    requireUserOrScope(viewer, 'classes:read');
    const [location] = isUuid(locationId)
      ? await this.unit.read<{ gymId: string }>('select gym_id as "gymId" from location where id = ?', [
          locationId,
        ])
      : [];
    if (!location || !maySeeClass(viewer, { gymId: location.gymId, locationId }))
      throw notFound('location', locationId);
    return sessionEvents(this.notifications, locationId, (time) => changedSince(this.unit, locationId, time));
  }

  /**
   * The requested range at each location. Instants give all locations the same range; a local day begins at midnight in the
   * location's time zone.
   */
  private async rangesAt(
    gymId: string,
    locationId: string | null | undefined,
    range: Pick<SessionsRequest, 'from' | 'to'>,
  ): Promise<(BoundedRange & { id: string })[]> {
    const locations = await this.unit.read<{ id: string; timezone: string }>(
      `select id, timezone from location where gym_id = ? ${locationId ? 'and id = ?' : ''}`,
      [gymId, ...(locationId ? [locationId] : [])],
    );
    if (!hasDay(range)) {
      const bounded = boundedRangeOf(range, 'UTC');
      return locations.map(({ id }) => ({ id, ...bounded }));
    }
    return locations.map(({ id, timezone }) => ({ id, ...boundedRangeOf(range, timezone) }));
  }
}

const earliest = (ranges: readonly BoundedRange[]): Date =>
  new Date(Math.min(...ranges.map(({ from }) => from.getTime()), LAST_INSTANT));
const latest = (ranges: readonly BoundedRange[]): Date =>
  new Date(Math.max(...ranges.map(({ to }) => to.getTime()), 0));
const LAST_INSTANT = Date.parse('3000-01-01T00:00:00Z');

/** The change that the input asks for. Null in the input means unchanged, but `instructor: null` removes the instructor. */
function changeOf(input: z.infer<typeof UpdateClassSessionInput>): SessionChangeInput {
  return {
    startsAt: input.startsAt ? new Date(input.startsAt) : undefined,
    durationMinutes: input.durationMinutes ?? undefined,
    capacity: input.capacity ?? undefined,
    instructor: input.instructor,
    isCancelled: input.status === 'CANCELLED',
  };
}
