import { z } from 'zod';
import { columnsOf, presented } from '#server/database/columns.ts';
import type { Gym } from './gym.entity.ts';
import { GymConfigShape, GymShape } from './gyms.shapes.ts';

/** The columns of a gym, and of its published configuration. */
const GymRow = GymShape.omit({ config: true, version: true })
  .extend({ detailsVersion: z.int() })
  .extend(GymConfigShape.omit({ gymId: true }).shape);
export type GymRow = z.infer<typeof GymRow>;
export const GYMS = `select ${columnsOf(GymRow)} from gym`;

export const present = ({
  id,
  slug,
  name,
  timezone,
  joinPolicy,
  active,
  detailsVersion,
  ...config
}: GymRow): GymShape => ({
  id,
  slug,
  name,
  timezone,
  joinPolicy,
  active,
  version: detailsVersion,
  config: { gymId: id, ...config },
});
export const presentEntity = (gym: Gym): GymShape => present(presented(GymRow, gym));
