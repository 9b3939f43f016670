import { LockMode } from '@mikro-orm/core';
import { Role, requireRole } from '#server/auth/viewer.ts';
import { notFound, versionConflict } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { Gym } from './gym.entity.ts';
import { UpdateGymConfigShape, type GymConfigShape, type GymShape } from './gyms.shapes.ts';

/** Gyms and what makes each its own. Everybody may read; a SUPER_ADMIN writes. */
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

  /**
   * Publishes theme, assets and features; a group that is absent stays as it is.
   * @param expectedVersion the version that the change is based on; undefined: last write wins.
   */
  async updateConfig(input: unknown, expectedVersion?: number): Promise<GymConfigShape> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const change = validated(UpdateGymConfigShape, input);
    const expected = expectedVersion ?? change.version ?? undefined;
    return this.unit.transaction(async () => {
      const gym = isUuid(change.gymId)
        ? await this.unit.em.findOne(
            Gym,
            { id: change.gymId },
            { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
          )
        : null;
      if (!gym) throw notFound('gym', change.gymId);
      if (expected !== undefined && expected !== gym.version)
        throw versionConflict('gym configuration', expected, gym.version);
      gym.theme = change.theme ?? gym.theme;
      gym.assets = change.assets ?? gym.assets;
      gym.features = change.features ?? gym.features;
      gym.version += 1;
      gym.updatedAt = new Date();
      return present(gym).config;
    });
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
