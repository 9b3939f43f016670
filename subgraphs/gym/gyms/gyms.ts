import { LockMode, raw, UniqueConstraintViolationException } from '@mikro-orm/core';
import { actorOf, isSuperAdmin, managesGym, requireRole, requireService, Role } from '#server/auth/viewer.ts';
import { checkVersion, conflict, forbidden, invalid, notFound } from '#server/errors.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import type { Removals } from '#server/references/removals.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { audit } from '../audit/audit.ts';
import { Gym } from './gym.entity.ts';
import { CreateGymInput, GymsFilter, UpdateGymInput, type GymShape } from './gyms.shapes.ts';
import { createdBefore, gymDeployed, insertGym } from './new-gym.ts';
import { callingService, VISIBLE_GYM } from './open-gyms.ts';
import { GYMS, present, presentEntity, type GymRow } from './presented-gym.ts';

/**
 * The gyms of the platform. Everybody may read them; SUPER_ADMINs and services of the platform create them. Until a gym is
 * opened, only the service that is setting it up can see it.
 */
export class Gyms {
  private readonly unit: UnitOfWork;
  private readonly removals: Removals;
  private readonly byId = loaderOf(
    (ids) =>
      this.unit.read<GymRow>(`${GYMS} where id = any(?::uuid[]) and ${VISIBLE_GYM}`, [ids, this.service]),
    (gym) => gym.id,
  );
  private readonly bySlug = loaderOf(
    (slugs) =>
      this.unit.read<GymRow>(`${GYMS} where slug = any(?::text[]) and ${VISIBLE_GYM}`, [slugs, this.service]),
    (gym) => gym.slug,
  );

  constructor(unit: UnitOfWork, removals: Removals) {
    this.unit = unit;
    this.removals = removals;
  }

  private get service(): string | null {
    return callingService(this.unit.viewer);
  }

  /** The gym with this id or slug; null if there is none. */
  async find(idOrSlug: string): Promise<GymShape | null> {
    if (idOrSlug.includes('\0')) return null; // PostgreSQL's text cannot contain NUL
    const gym = isUuid(idOrSlug) ? await this.byId.load(idOrSlug) : await this.bySlug.load(idOrSlug);
    return gym && present(gym);
  }

  /** The gym with this id or slug. @throws NOT_FOUND */
  async get(idOrSlug: string): Promise<GymShape> {
    const gym = await this.find(idOrSlug);
    if (!gym) throw notFound('gym', idOrSlug);
    return gym;
  }

  /** Clears the caches after a write, for later reads in the same unit of work. */
  clearCache({ id, slug }: Pick<Gym, 'id' | 'slug'>): void {
    this.byId.clear(id);
    this.bySlug.clear(slug);
  }

  /**
   * The active gyms that the viewer may see, or those of one name without regard to case; sorted by name. A SUPER_ADMIN may
   * list the gyms that are not active. Services get active and inactive gyms, because the wizard asks whether a name
   * is taken.
   */
  async list(filter: unknown = {}): Promise<GymShape[]> {
    const { name, active } = validated(GymsFilter, filter);
    if (active === false) requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    if (name?.includes('\0')) return []; // PostgreSQL's text cannot contain NUL
    const where = {
      ...(this.service ? {} : { active: active ?? true }),
      ...(name && { [raw('lower(name)')]: raw('lower(?)', [name.trim()]) }),
      $or: [{ openedAt: { $ne: null } }, ...(this.service ? [{ madeBy: this.service }] : [])],
    };
    return (await this.unit.em.find(Gym, where, { orderBy: { name: 'asc', id: 'asc' } })).map(presentEntity);
  }

  /**
   * Creates a gym. For a SUPER_ADMIN and for services of the platform. A service may choose to open the gym later. If it
   * chooses the id, a repeated request creates no second gym.
   * @throws CONFLICT if the slug is taken, or if the chosen id belongs to another gym
   */
  async create(input: unknown): Promise<GymShape> {
    const viewer =
      this.unit.viewer.kind === 'service'
        ? this.unit.viewer
        : requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const fields = validated(CreateGymInput, input);
    if (fields.opened === false && viewer.kind !== 'service')
      throw invalid(
        'opened',
        'only a service of the platform may send it; a gym that you create is open at once',
      );
    try {
      return await this.unit.transaction(async () => {
        const existing =
          viewer.kind === 'service' && fields.id
            ? await createdBefore(this.unit, viewer, fields.id, fields.slug)
            : null;
        return existing ?? (await insertGym(this.unit, viewer, fields));
      });
    } catch (error) {
      // `createdBefore` has locked the chosen id, so nobody else has used it meanwhile: the slug is what is not unique.
      if (error instanceof UniqueConstraintViolationException)
        throw conflict(`The slug "${fields.slug}" is taken; choose another.`, {
          errors: [{ path: 'slug', message: 'is taken' }],
        });
      throw error;
    }
  }

  /**
   * Changes the name, the time zone and the join policy of a gym, for its staff; only a SUPER_ADMIN makes it active or
   * inactive. Audited.
   * @throws NOT_FOUND, FORBIDDEN, VERSION_CONFLICT
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<GymShape> {
    const viewer = requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { version, ...change } = validated(UpdateGymInput, input);
    const updated = await this.unit.transaction(async () => {
      const gym = isUuid(id)
        ? await this.unit.em.findOne(
            Gym,
            { id, openedAt: { $ne: null } },
            { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
          )
        : null;
      if (!gym) throw notFound('gym', id);
      if (!managesGym(viewer, gym.id)) throw forbidden('Only the staff of this gym may change it.');
      if ((change.active ?? gym.active) !== gym.active && !isSuperAdmin(viewer))
        throw forbidden('Only a SUPER_ADMIN may change whether a gym is active.');
      checkVersion('gym', expectedVersion ?? version, gym.detailsVersion);
      const before = detailsOf(gym);
      gym.name = change.name ?? gym.name;
      gym.timezone = change.timezone ?? gym.timezone;
      gym.joinPolicy = change.joinPolicy ?? gym.joinPolicy;
      gym.active = change.active ?? gym.active;
      gym.detailsVersion += 1;
      await audit(this.unit, {
        gymId: gym.id,
        actorId: actorOf(viewer),
        action: 'GYM_CHANGED',
        details: { from: before, to: detailsOf(gym) },
      });
      await this.unit.em.flush();
      return presentEntity(gym);
    });
    this.clearCache(updated);
    return updated;
  }

  /**
   * Opens a gym that the calling service has created, so that everybody can see it. Idempotent.
   * @throws NOT_FOUND, also for a gym that another caller has created
   */
  async open(id: string): Promise<GymShape> {
    const viewer = requireService(this.unit.viewer);
    return this.unit.transaction(async () => {
      const [gym] = await this.unit.em.execute<{ slug: string; isOpen: boolean }[]>(
        'select slug, opened_at is not null as "isOpen" from gym where id = ? and made_by = ? for no key update',
        [id, viewer.service],
      );
      if (!gym) throw notFound('gym', id);
      if (!gym.isOpen) {
        await this.unit.em.nativeUpdate(Gym, { id }, { openedAt: new Date() });
        await audit(this.unit, {
          gymId: id,
          actorId: actorOf(viewer),
          action: 'GYM_OPENED',
          details: { service: viewer.service },
        });
      }
      this.clearCache({ id, slug: gym.slug });
      const opened = await this.get(id);
      if (!gym.isOpen) await recordEvents(this.unit, [gymDeployed(opened)]);
      return opened;
    });
  }

  /**
   * Deletes a gym that the calling service has created, with its locations, unless it is in use.
   * @throws NOT_FOUND, also for a gym that another caller has created; CONFLICT if it is in use
   */
  async withdraw(id: string): Promise<void> {
    const viewer = requireService(this.unit.viewer);
    await this.unit.transaction(async () => {
      const { em } = this.unit;
      // The gym is locked before the check: running writes for the gym have then ended, and no new ones begin.
      const made = await em.execute<unknown[]>(MADE_BY_SERVICE, [id, viewer.service]);
      if (made.length === 0) throw notFound('gym', id);
      const used = await em.execute<unknown[]>(
        IN_USE,
        IN_USE_TABLES.map(() => id),
      );
      if (used.length > 0) throw conflict('This gym is in use; it can no longer be withdrawn.');
      await em.execute('delete from gym where id = ?', [id]); // its rows in other tables are deleted by cascade
      await this.removals.report(this.unit, 'Gym', id);
      await audit(this.unit, {
        gymId: id,
        actorId: actorOf(viewer),
        action: 'GYM_WITHDRAWN',
        details: { service: viewer.service },
      });
    });
  }
}

const detailsOf = ({ name, timezone, joinPolicy, active }: Gym) => ({ name, timezone, joinPolicy, active });

/**
 * Finds the gym if this service has created it, and locks it, so that no row that refers to it can be added. A gym from
 * before the column made_by has the service in its audit record only.
 */
const MADE_BY_SERVICE = `
  select 1 from gym where id = ? and coalesce(made_by, (
    select details ->> 'service' from audit_event where gym_id = gym.id and action = 'GYM_CREATED' limit 1
  )) = ? for update`;

/** Tables whose rows mean that a gym is in use. Its other tables, such as locations, are part of its set-up. */
const IN_USE_TABLES = [
  'check_in',
  'booking',
  'post',
  'challenge',
  'announcement',
  'gym_product',
  'gym_program',
  'shop_order',
];
const IN_USE = `select 1 where ${IN_USE_TABLES.map((table) => `exists (select 1 from ${table} where gym_id = ?)`).join(' or ')}`;
