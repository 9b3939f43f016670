import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import {
  actorOf,
  requireGym,
  requireGymAdmin,
  requireGymOfClient,
  requireScope,
  requireUser,
  requireUserOrScope,
  type ServiceViewer,
} from '#server/auth/viewer.ts';
import { columnsOf, presented } from '#server/database/columns.ts';
import type { Notifications } from '#server/database/notifications.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { conflict, forbidden, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { listLoaderOf, loaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { LOCATION_SCOPES, maySee, maySeeLocation, requireManage } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { addFirstVisitClass } from '../classes/first-visit-class.ts';
import { moveSessionsToZone } from '../classes/move-to-zone.ts';
import { lockGym } from '../gyms/gym-locks.ts';
import { callingService, requireOpenGym, VISIBLE_GYM } from '../gyms/open-gyms.ts';
import { uncachedLoaderOf } from '../uncached-loaders.ts';
import { Location, QrPolicy } from './location.entity.ts';
import { closeLocation } from './close-location.ts';
import { occupancyChart } from './occupancy-chart.ts';
import { lockLocations } from './location-locks.ts';
import { notifyOccupancy, occupancyEvents } from './occupancy-events.ts';
import { occupancyHistory } from './occupancy-history.ts';
import { levelEvents, occupancyWith } from './occupancy-level.ts';
import {
  CreateLocationShape,
  LocationShape,
  UpdateLocationShape,
  type OccupancySampleShape,
  type OccupancyShape,
} from './locations.shapes.ts';

const LOCATIONS = `select ${columnsOf(LocationShape)} from location`;

const IN_VISIBLE_GYM = `exists (select 1 from gym where gym.id = location.gym_id and ${VISIBLE_GYM})`;

const PeopleInside = z.object({ locationId: uuid(), people: z.int(), changedAt: z.iso.datetime() });

/**
 * How many people are inside each location, and when its occupancy last changed: the time of the latest check-in, check-out
 * or expiry of a visit, or of the last change of the location. Each maximum is read from the end of an index. The time of
 * the request is not used, because then an unchanged occupancy would have another ETag in every answer.
 */
const PEOPLE_INSIDE = `
  select ${columnsOf(PeopleInside, {
    locationId: 'location.id',
    people: `(select count(*)::int from check_in
      where location_id = location.id and checked_out_at is null and expires_at > now())`,
    changedAt: `greatest(
      location.updated_at,
      (select max(checked_in_at) from check_in where location_id = location.id),
      (select max(checked_out_at) from check_in where location_id = location.id and checked_out_at is not null),
      (select max(expires_at) from check_in
        where location_id = location.id and checked_out_at is null and expires_at <= now())
    )`,
  })}
  from location where id = any(?::uuid[])`;

/** The locations of gyms, and their occupancy. The gym's users and services see them, its staff changes them. */
export class Locations {
  private readonly unit: UnitOfWork;
  private readonly notifications: Notifications;
  private readonly byId = loaderOf(
    (ids) =>
      this.unit.read<LocationShape>(`${LOCATIONS} where id = any(?::uuid[]) and ${IN_VISIBLE_GYM}`, [
        ids,
        callingService(this.unit.viewer),
      ]),
    (location) => location.id,
  );
  private readonly byGym = listLoaderOf(
    (gymIds) =>
      this.unit.read<LocationShape>(
        `${LOCATIONS} where gym_id = any(?::uuid[]) and ${IN_VISIBLE_GYM} order by name, id`,
        [gymIds, callingService(this.unit.viewer)],
      ),
    (location) => location.gymId,
  );
  private readonly people = uncachedLoaderOf(
    (ids) => this.unit.read<z.infer<typeof PeopleInside>>(PEOPLE_INSIDE, [ids]),
    (row) => row.locationId,
  );

  constructor(unit: UnitOfWork, notifications: Notifications) {
    this.unit = unit;
    this.notifications = notifications;
  }

  /**
   * The locations of the viewer's gym, or of any gym for a SUPER_ADMIN; sorted by name. A machine client sees those at which
   * it may act. Only staff see those that are closed for good.
   */
  async list(gymId?: string | null): Promise<LocationShape[]> {
    const { viewer } = this.unit;
    if (viewer.kind !== 'client') return this.visibleIn(requireGym(viewer, gymId));
    requireScope(viewer, ...LOCATION_SCOPES);
    return this.visibleIn(requireGymOfClient(viewer, gymId));
  }

  /**
   * The locations of a gym, for the graph's `Gym.locations`; batched.
   * @throws FORBIDDEN for services, and for users and machine clients of other gyms
   */
  async ofGym(gymId: string): Promise<LocationShape[]> {
    if (this.unit.viewer.kind === 'client') return this.list(gymId);
    requireUser(this.unit.viewer);
    if (!maySee(this.unit.viewer, { gymId }))
      throw forbidden("Only the gym's own users may see its locations.");
    return this.visibleIn(gymId);
  }

  private async visibleIn(gymId: string): Promise<LocationShape[]> {
    const locations = await this.byGym.load(gymId);
    return locations.filter((location) => maySeeLocation(this.unit.viewer, location));
  }

  /** @throws NOT_FOUND also if the location belongs to another gym, or if it is closed for good and the viewer is not staff */
  async get(id: string): Promise<LocationShape> {
    const { viewer } = this.unit;
    if (viewer.kind !== 'service') requireUserOrScope(viewer, ...LOCATION_SCOPES);
    const location = isUuid(id) ? await this.byId.load(id) : null;
    if (!location || !maySeeLocation(viewer, location)) throw notFound('location', id);
    return location;
  }

  /**
   * As `get`, but locations that are closed for good are visible to all who see the others: visits, classes and bookings of
   * such a location stay visible.
   */
  async evenIfClosed(id: string): Promise<LocationShape> {
    const location = await this.byId.load(id);
    if (!location || !maySeeLocation(this.unit.viewer, { ...location, closedAt: null }))
      throw notFound('location', id);
    return location;
  }

  /** The current occupancy of a location; batched. */
  async occupancy(location: Pick<LocationShape, 'id' | 'capacity'>): Promise<OccupancyShape> {
    const found = await this.people.load(location.id);
    const updatedAt = found?.changedAt ?? new Date().toISOString();
    return { ...occupancyWith(found?.people ?? 0, location.capacity), updatedAt };
  }

  /** The current occupancy, by the location's id. @throws NOT_FOUND, also for another gym's location */
  async occupancyOf(id: string): Promise<OccupancyShape & { locationId: string }> {
    return { ...(await this.occupancy(await this.get(id))), locationId: id };
  }

  /** The occupancy hour by hour, at most 31 days; see `occupancyHistory`. */
  async history(id: string, range: unknown): Promise<OccupancySampleShape[]> {
    return occupancyHistory(this.unit, await this.get(id), range);
  }

  /** The result of `history` as an SVG picture. */
  async chart(id: string, range: unknown): Promise<string> {
    const location = await this.get(id);
    return occupancyChart(location, await occupancyHistory(this.unit, location, range));
  }

  /**
   * An event at once, and at every change of the location's occupancy.
   * @throws NOT_FOUND, also for another gym's location
   */
  async occupancyChanges(id: string): Promise<AsyncIterableIterator<{ locationId: string }>> {
    await this.get(id);
    return occupancyEvents(this.notifications, id);
  }

  /** Creates a location. For staff of the gym and for services of the platform. */
  async create(input: unknown): Promise<LocationShape> {
    const { viewer } = this.unit;
    const {
      id,
      gymId: chosen,
      maxStayMinutes,
      address,
      openingHours,
      openingExceptions,
      qrPolicy,
      ...rest
    } = validated(CreateLocationShape, input);
    const fields = {
      ...rest,
      address: address ?? null,
      maxStayMinutes: maxStayMinutes ?? 90,
      openingHours: openingHours ?? null,
      openingExceptions: openingExceptions ?? [],
      qrPolicy: qrPolicy ?? QrPolicy.ANY,
    };
    if (viewer.kind === 'service') return this.createFor(viewer, { ...fields, gymId: chosen ?? '', id });
    const gymId = requireGymAdmin(viewer, chosen);
    const created = await this.unit.transaction(async () => {
      await requireOpenGym(this.unit, gymId);
      const location = this.unit.em.create(Location, { ...fields, gymId, version: 1 });
      await this.unit.em.flush();
      await addFirstVisitClass(this.unit, location.id);
      await this.audited(location, 'LOCATION_CREATED');
      return presented(LocationShape, location);
    });
    this.byGym.clear(gymId);
    return created;
  }

  /**
   * Creates a location for a service. The gym is locked, so that it is not withdrawn in the meantime, and so that a repeated
   * request waits and then finds the location.
   */
  private async createFor(
    service: ServiceViewer,
    { id, ...fields }: Omit<LocationShape, 'id' | 'version' | 'closedAt'> & { id: string | null | undefined },
  ): Promise<LocationShape> {
    return this.unit.transaction(async () => {
      const { em } = this.unit;
      const { gymId } = fields;
      if (!isUuid(gymId) || !(await lockGym(this.unit, gymId))) throw notFound('gym', gymId);
      const visible = await em.execute<unknown[]>(`select 1 from gym where id = ? and ${VISIBLE_GYM}`, [
        gymId,
        service.service,
      ]);
      if (visible.length === 0) throw notFound('gym', gymId);
      const existing = id ? await em.findOne(Location, { id }) : null;
      if (existing && existing.gymId !== gymId) throw conflict('This id belongs to another location.');
      if (existing) return presented(LocationShape, existing);
      const location = em.create(Location, { ...fields, ...(id && { id }), version: 1 });
      await em.flush();
      await addFirstVisitClass(this.unit, location.id);
      await audit(this.unit, {
        gymId,
        actorId: actorOf(service),
        action: 'LOCATION_CREATED',
        details: { locationId: location.id, service: service.service },
      });
      return presented(LocationShape, location);
    });
  }

  /**
   * Changes a location. Absent fields are unchanged; null removes the address, the opening hours or their exceptions. With
   * another time zone, the coming sessions of its classes keep their local times.
   * @throws CONFLICT if the location is closed for good
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<LocationShape> {
    const { viewer } = this.unit;
    requireUser(viewer);
    const change = validated(UpdateLocationShape, input);
    const updated = await this.unit.transaction(async () => {
      const location = await lockedForChange(this.unit, Location, {
        what: 'location',
        id,
        expectedVersion: expectedVersion ?? change.version,
        decide: (stored) =>
          requireManage(viewer, 'location', stored, "Only the gym's staff may change a location."),
      });
      if (location.closedAt) throw conflict('This location is closed for good and cannot be changed.');
      location.name = change.name ?? location.name;
      if (change.address !== undefined) location.address = change.address;
      const { timezone, capacity } = location;
      location.timezone = change.timezone ?? timezone;
      location.capacity = change.capacity ?? capacity;
      location.maxStayMinutes = change.maxStayMinutes ?? location.maxStayMinutes;
      if (change.openingHours !== undefined) location.openingHours = change.openingHours;
      if (change.openingExceptions !== undefined) location.openingExceptions = change.openingExceptions ?? [];
      location.qrPolicy = change.qrPolicy ?? location.qrPolicy;
      location.version += 1;
      await this.unit.em.flush();
      if (location.timezone !== timezone) await moveSessionsToZone(this.unit, location.id, location.timezone);
      if (location.capacity !== capacity) await notifyOccupancy(this.unit, location.id);
      const locked = await lockLocations(this.unit, 'id = ?', [location.id]);
      await recordEvents(this.unit, await levelEvents(this.unit, locked));
      await this.audited(location, 'LOCATION_UPDATED');
      return presented(LocationShape, location);
    });
    this.forget(updated);
    return updated;
  }

  /**
   * Closes a location for good: its open visits end, and nobody can check in any more. Its history stays.
   * @param expectedVersion undefined or null: the location is closed whatever its version is
   */
  async close(id: string, expectedVersion?: number | null): Promise<void> {
    this.forget(await closeLocation(this.unit, id, expectedVersion));
  }

  private audited({ id, gymId, name }: Location, action: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    return audit(this.unit, { gymId, actorId: userId, action, details: { locationId: id, name } });
  }

  /** Removes the location from the loaders, so that later reads in this unit of work get its new state. */
  private forget({ id, gymId }: { id: string; gymId: string }): void {
    this.byId.clear(id);
    this.byGym.clear(gymId);
  }
}
