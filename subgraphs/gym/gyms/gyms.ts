import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { isSuperAdmin, requireRole, Role } from '#server/auth/viewer.ts';
import { conflict, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { ConfigVersion } from './config-version.entity.ts';
import { Gym } from './gym.entity.ts';
import { CreateGymInput, type GymShape } from './gyms.shapes.ts';

/** The gyms of the platform. Everybody may read; a SUPER_ADMIN, or the wizard for one, adds. */
export class Gyms {
  private readonly unit: UnitOfWork;
  private readonly byId = loaderOf(
    (ids) => this.unit.em.find(Gym, { id: { $in: [...ids] } }),
    (gym) => gym.id,
  );
  private readonly bySlug = loaderOf(
    (slugs) => this.unit.em.find(Gym, { slug: { $in: [...slugs] } }),
    (gym) => gym.slug,
  );

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** By id or slug; null where there is none. */
  async find(idOrSlug: string): Promise<GymShape | null> {
    if (idOrSlug.includes('\0')) return null; // PostgreSQL's text holds none
    const gym = isUuid(idOrSlug) ? await this.byId.load(idOrSlug) : await this.bySlug.load(idOrSlug);
    return gym && present(gym);
  }

  /** By id or slug. @throws NOT_FOUND */
  async get(idOrSlug: string): Promise<GymShape> {
    const gym = await this.find(idOrSlug);
    if (!gym) throw notFound('gym', idOrSlug);
    return gym;
  }

  /** All of them, by name. */
  async list(): Promise<GymShape[]> {
    return (await this.unit.em.find(Gym, {}, { orderBy: { name: 'asc', id: 'asc' } })).map(present);
  }

  /** @throws CONFLICT where the slug is taken. */
  async create(input: unknown): Promise<GymShape> {
    const { viewer } = this.unit;
    if (viewer.kind !== 'service' && !isSuperAdmin(viewer)) requireRole(viewer, Role.SUPER_ADMIN);
    const { name, slug, theme, assets, features } = validated(CreateGymInput, input);
    const actorId = viewer.kind === 'user' ? viewer.userId : viewer.kind === 'service' ? viewer.service : '';
    try {
      return await this.unit.transaction(async () => {
        const gym = this.unit.em.create(Gym, {
          name,
          slug,
          theme: theme ?? {},
          assets: assets ?? {},
          features: features ?? {},
          version: 1,
        });
        await this.unit.em.flush();
        await this.unit.em.insert(ConfigVersion, {
          gymId: gym.id,
          version: 1,
          theme: gym.theme,
          assets: gym.assets,
          features: gym.features,
          publishedBy: actorId,
          publishedAt: gym.updatedAt,
        });
        return present(gym);
      });
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException)
        throw conflict(`The slug "${slug}" is taken; choose another.`, {
          errors: [{ path: 'slug', message: 'is taken' }],
        });
      throw error;
    }
  }
}

const present = (gym: Gym): GymShape => ({
  id: gym.id,
  slug: gym.slug,
  name: gym.name,
  config: {
    gymId: gym.id,
    theme: gym.theme,
    assets: gym.assets,
    features: gym.features,
    version: gym.version,
    updatedAt: gym.updatedAt.toISOString(),
  },
});
