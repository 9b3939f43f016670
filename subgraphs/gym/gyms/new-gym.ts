import type { z } from 'zod';
import { actorOf, type ServiceViewer, type UserViewer } from '#server/auth/viewer.ts';
import { conflict } from '#server/errors.ts';
import { recordEvents, type NewEvent } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { audit } from '../audit/audit.ts';
import { ConfigVersion } from './config-version.entity.ts';
import { Gym } from './gym.entity.ts';
import type { CreateGymInput, GymShape } from './gyms.shapes.ts';
import { presentEntity } from './presented-gym.ts';

/**
 * The gym that the service has created with this id; null if there is none. Because of the lock, a simultaneous request with
 * this id waits, and then finds the gym.
 * @throws CONFLICT if the id belongs to another gym
 */
export async function createdBefore(
  unit: UnitOfWork,
  service: ServiceViewer,
  id: string,
  slug: string,
): Promise<GymShape | null> {
  const { em } = unit;
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`gym ${id}`]);
  const gym = await em.findOne(Gym, { id });
  if (!gym) return null;
  // Null: the gym is older than the column, or a SUPER_ADMIN created it. In the second case its id is random, so no service
  // chooses the same one.
  const madeBy = gym.madeBy ?? service.service;
  if (gym.slug !== slug || madeBy !== service.service) throw conflict('This id belongs to another gym.');
  return presentEntity(gym);
}

/** Stores a new gym with the first version of its configuration. */
export async function insertGym(
  unit: UnitOfWork,
  viewer: UserViewer | ServiceViewer,
  { id, name, slug, timezone, joinPolicy, theme, assets, features, opened }: z.infer<typeof CreateGymInput>,
): Promise<GymShape> {
  const service = viewer.kind === 'service' ? viewer.service : null;
  const actorId = actorOf(viewer);
  const gym = unit.em.create(Gym, {
    ...(service && id && { id }),
    name,
    slug,
    timezone: timezone ?? 'UTC',
    joinPolicy: joinPolicy ?? 'OPEN',
    active: true,
    detailsVersion: 1,
    theme: theme ?? {},
    assets: assets ?? {},
    features: features ?? {},
    version: 1,
    openedAt: opened === false ? null : new Date(),
    madeBy: service,
  });
  await unit.em.flush();
  await unit.em.insert(ConfigVersion, {
    gymId: gym.id,
    version: 1,
    theme: gym.theme,
    assets: gym.assets,
    features: gym.features,
    publishedBy: actorId,
    publishedAt: gym.updatedAt,
  });
  await audit(unit, {
    gymId: gym.id,
    actorId,
    action: 'GYM_CREATED',
    details: service ? { slug, service } : { slug },
  });
  const created = presentEntity(gym);
  if (gym.openedAt) await recordEvents(unit, [gymDeployed(created)]);
  return created;
}

export const gymDeployed = (gym: GymShape): NewEvent => ({
  type: 'gym.deployed',
  gymId: gym.id,
  subject: `gym/${gym.id}`,
  data: gym,
});
