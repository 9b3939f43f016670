import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import {
  requireGym,
  requireGymOfClient,
  requireScope,
  requireUser,
  requireUserOrScope,
} from '#server/auth/viewer.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { forbidden, invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayManage, maySeeClass, requireManage } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { GymClass } from './class.entity.ts';
import {
  CreateGymClassInput,
  GYM_CLASS,
  GymClassesFilter,
  Range,
  UpdateGymClassInput,
  type ClassOccurrenceShape,
  type GymClassShape,
} from './classes.shapes.ts';
import { followClass, type Planned } from './follow-class.ts';
import { instantOf } from './local-time.ts';
import { lockLocationOf, makeSessions } from './make-sessions.ts';
import { checkRule, localStarts } from './recurrence.ts';
import { cancelSessions, lockSessions } from './session-writes.ts';
import { boundedRangeOf } from './time-range.ts';

const cursors = cursorsOf('classes', z.tuple([z.string(), uuid()]));
const CLASSES = `select ${GYM_CLASS} from gym_class`;
const NOT_STAFF = 'Only the staff of the gym may change classes.';
const DEFAULT_CANCEL_BEFORE_MINUTES = 120;

export interface ClassesRequest extends PageRequest {
  gymId?: string | null | undefined;
  locationId?: string | null | undefined;
  active?: boolean | null | undefined;
}

/** The classes of a gym. Its users see them, its staff change them. */
export class Classes {
  private readonly unit: UnitOfWork;
  /** How many weeks ahead sessions are made. */
  private readonly weeksAhead: number;
  private readonly byId = loaderOf(
    (ids) => this.unit.read<GymClassShape>(`${CLASSES} where id = any(?::uuid[])`, [ids]),
    (found) => found.id,
  );

  constructor(unit: UnitOfWork, weeksAhead: number) {
    this.unit = unit;
    this.weeksAhead = weeksAhead;
  }

  /** The classes of the viewer's gym by title; deleted ones with `active: false`, for staff. */
  async list({ gymId, ...request }: ClassesRequest): Promise<Page<GymClassShape>> {
    const { viewer } = this.unit;
    const { locationId, active } = validated(GymClassesFilter, request);
    const ofGym = gymOf(viewer, gymId);
    const isActive = active ?? true;
    if (!isActive && !mayManage(viewer, { gymId: ofGym }))
      throw forbidden("Only the gym's staff may list deleted classes.");
    const after = cursors.read(request.cursor);
    const only = viewer.kind === 'client' ? (viewer.locationId ?? locationId) : locationId;
    const rows = await this.unit.read<GymClassShape>(
      `${CLASSES} where gym_id = ? and active = ? ${after ? 'and (title, id) > (?, ?)' : ''}
       ${only ? 'and location_id = ?' : ''} order by title, id limit ?`,
      [ofGym, isActive, ...(after ?? []), ...(only ? [only] : []), pageSize(request) + 1],
    );
    return cursors.page(rows, request, ({ title, id }) => [title, id]);
  }

  /** @throws NOT_FOUND, also for another gym's class */
  async get(id: string): Promise<GymClassShape> {
    const { viewer } = this.unit;
    requireUserOrScope(viewer, 'classes:read');
    const found = isUuid(id) ? await this.byId.load(id) : null;
    if (!found || !maySeeClass(viewer, found)) throw notFound('class', id);
    return found;
  }

  /** When the class takes place by its rule, computed without its sessions. */
  async occurrences(id: string, range: unknown): Promise<ClassOccurrenceShape[]> {
    const found = await this.get(id);
    const { recurrence, durationMinutes } = found;
    const zone = await this.zoneOf(found.locationId);
    const { from, to } = boundedRangeOf(validated(Range, range), zone);
    if (!recurrence) return [];
    return localStarts(recurrence, zone, from, to).map((localStart) => {
      const startsAt = instantOf(localStart, zone);
      return { localStart, startsAt: startsAt.toISOString(), endsAt: endOf(startsAt, durationMinutes) };
    });
  }

  /** Creates a class and its first sessions. */
  async create(input: unknown): Promise<GymClassShape> {
    const { viewer } = this.unit;
    requireUser(viewer);
    const { locationId, recurrence, cancelBeforeMinutes, ...fields } = validated(CreateGymClassInput, input);
    const id = uuidv7();
    await this.unit.transaction(async () => {
      const location = await this.locationOf(locationId);
      if (!location || !maySeeClass(viewer, { gymId: location.gymId, locationId }))
        throw invalid('locationId', 'there is no such location');
      if (!mayManage(viewer, location)) throw forbidden(NOT_STAFF);
      await requireOpenGym(this.unit, location.gymId);
      // A request that closes the location waits for this lock; when it continues, it ends the new class, too.
      const open = await this.unit.run(
        'select 1 from location where id = ? and closed_at is null for share',
        [locationId],
      );
      if (open.length === 0) throw invalid('locationId', 'expected a location that is not closed');
      requireFits(fields.capacity, location.capacity);
      checkRule(recurrence, location.timezone);
      await this.unit.em.insert(GymClass, {
        id,
        gymId: location.gymId,
        locationId,
        ...fields,
        description: fields.description ?? null,
        instructor: fields.instructor ?? null,
        cancelBeforeMinutes: cancelBeforeMinutes ?? DEFAULT_CANCEL_BEFORE_MINUTES,
        startsAt: recurrence.startsAt,
        rrule: recurrence.rrule,
        following: [],
        madeUntil: new Date(),
        isFirstVisit: false,
        active: true,
        version: 1,
        createdAt: new Date(),
      });
      await makeSessions(this.unit, id, this.weeksAhead);
      await this.audited({ id, gymId: location.gymId, locationId, title: fields.title }, 'CLASS_CREATED');
    });
    return this.fresh(id);
  }

  /**
   * Changes a class. Its coming sessions that nobody has edited follow, with their ids and bookings.
   * @throws CONFLICT if a coming session has more people than the new capacity
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<GymClassShape> {
    const change = validated(UpdateGymClassInput, input);
    await this.unit.transaction(async () => {
      const stored = await this.locked(id, expectedVersion ?? change.version);
      if (!stored.active) throw notFound('class', id);
      const location = await this.locationOf(stored.locationId);
      if (!location) throw notFound('class', id);
      if (change.capacity) requireFits(change.capacity, location.capacity);
      if (change.recurrence && stored.isFirstVisit)
        throw invalid(
          'recurrence',
          'first visits follow no rule: their sessions are made when they are booked',
        );
      if (change.recurrence) checkRule(change.recurrence, location.timezone);
      const planned: Planned = {
        recurrence: change.recurrence ?? undefined,
        durationMinutes: change.durationMinutes ?? undefined,
        capacity: change.capacity ?? undefined,
        instructor: change.instructor,
      };
      stored.title = change.title ?? stored.title;
      if (change.description !== undefined) stored.description = change.description;
      stored.cancelBeforeMinutes = change.cancelBeforeMinutes ?? stored.cancelBeforeMinutes;
      stored.version += 1;
      await followClass(this.unit, stored, planned, { zone: location.timezone, weeksAhead: this.weeksAhead });
      await this.audited(stored, 'CLASS_UPDATED');
    });
    return this.fresh(id);
  }

  /**
   * Deletes a class: its coming sessions are cancelled with their bookings; past sessions stay. No row is removed. A second
   * call changes nothing.
   */
  async remove(id: string): Promise<void> {
    await this.unit.transaction(async () => {
      const stored = await this.locked(id);
      if (stored.isFirstVisit) throw forbidden('The class of first visits cannot be deleted.');
      if (!stored.active) return;
      stored.active = false;
      stored.version += 1;
      await this.unit.em.flush();
      await cancelSessions(
        this.unit,
        await lockSessions(this.unit, `class_id = ? and status = 'SCHEDULED' and starts_at > now()`, [id]),
      );
      await this.audited(stored, 'CLASS_DELETED');
    });
    this.byId.clear(id);
  }

  private audited(
    { id, gymId, locationId, title }: Pick<GymClass, 'id' | 'gymId' | 'locationId' | 'title'>,
    action: string,
  ): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    return audit(this.unit, { gymId, actorId: userId, action, details: { classId: id, locationId, title } });
  }

  /**
   * Loads a class and locks it. The gym and the location are locked first, as in other transactions.
   * @throws NOT_FOUND, FORBIDDEN, VERSION_CONFLICT; the errors of `requireOpenGym`
   */
  private async locked(id: string, expectedVersion?: number | null): Promise<GymClass> {
    const { viewer } = this.unit;
    requireUser(viewer);
    const [gym] = isUuid(id)
      ? await this.unit.run<{ gymId: string }>('select gym_id as "gymId" from gym_class where id = ?', [id])
      : [];
    if (gym && mayManage(viewer, gym)) {
      await requireOpenGym(this.unit, gym.gymId);
      await lockLocationOf(this.unit, id);
    }
    return lockedForChange(this.unit, GymClass, {
      what: 'class',
      id,
      expectedVersion,
      decide: (stored) => requireManage(viewer, 'class', stored, NOT_STAFF),
    });
  }

  private async fresh(id: string): Promise<GymClassShape> {
    this.byId.clear(id);
    return this.get(id);
  }

  private async zoneOf(locationId: string): Promise<string> {
    return (await this.locationOf(locationId))?.timezone ?? 'UTC';
  }

  private async locationOf(id: string): Promise<ClassLocation | undefined> {
    const [location] = await this.unit.read<ClassLocation>(
      'select id, gym_id as "gymId", capacity, timezone from location where id = ?',
      [id],
    );
    return location;
  }
}

interface ClassLocation {
  id: string;
  gymId: string;
  capacity: number;
  timezone: string;
}

/** The gym whose classes the viewer lists. @throws GYM_REQUIRED, FORBIDDEN */
export function gymOf(viewer: UnitOfWork['viewer'], gymId: string | null | undefined): string {
  if (viewer.kind !== 'client') return requireGym(viewer, gymId);
  requireScope(viewer, 'classes:read');
  return requireGymOfClient(viewer, gymId);
}

export const endOf = (startsAt: Date, durationMinutes: number): string =>
  new Date(startsAt.getTime() + durationMinutes * 60_000).toISOString();

/** @throws VALIDATION_FAILED if a class would have more places than its location */
export function requireFits(capacity: number, ofLocation: number): void {
  if (capacity > ofLocation)
    throw invalid(
      'capacity',
      `expected at most ${ofLocation}, the capacity of the location, got ${capacity}`,
    );
}
