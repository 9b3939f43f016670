import type { z } from 'zod';
import { presented } from '#server/database/columns.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { mayReadBody, maySeeContactAndCode, maySeeEmail } from '../access.ts';
import { UserShape } from './users.shapes.ts';

/** The columns of a user that some viewer may see. */
export const UserRow = UserShape.required({ email: true, qrCode: true, body: true, trainingGoals: true });
export type UserRow = z.infer<typeof UserRow>;

/** The user, from an entity or a row, with the fields that this viewer may see. */
export function presentUser(
  unit: UnitOfWork,
  user: Parameters<typeof presented<typeof UserRow>>[1],
  viewer = unit.viewer,
): UserShape {
  const { email, qrCode, body, trainingGoals, ...shown } = presented(UserRow, user);
  return {
    ...shown,
    avatar: unit.publicPath(shown.avatar),
    ...(maySeeEmail(viewer, shown) && { email }),
    ...(maySeeContactAndCode(viewer, shown) && { qrCode }),
    ...(mayReadBody(viewer, shown) && { body, trainingGoals }),
  };
}
