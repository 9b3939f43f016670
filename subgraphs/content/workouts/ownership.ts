import {
  isAdmin,
  isSuperAdmin,
  requireGym,
  requireOwnGym,
  requireUser,
  type Viewer,
} from '#server/auth/viewer.ts';
import { conflict, forbidden, invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { ExerciseShape } from '../exercises/exercises.shapes.ts';
import { WorkoutRoutine, type Visibility } from './workout-routine.entity.ts';

/** To whom a routine belongs, and who can see it. */
export type Ownership = {
  gymId: string | null;
  ownerId: string | null;
  isPrivate: boolean;
};

/** The ownership of a routine that staff has added. */
export const ofStaff = (gymId: string | null): Ownership => ({ gymId, ownerId: null, isPrivate: false });

export const visibilityOf = ({ isPrivate, gymId }: Pick<WorkoutRoutine, 'isPrivate' | 'gymId'>): Visibility =>
  isPrivate ? 'PRIVATE' : gymId ? 'GYM' : 'PUBLIC';

const onlySuperAdmins = () =>
  forbidden('Only a SUPER_ADMIN adds a routine for everybody; choose the visibility PRIVATE or GYM.');

/**
 * The ownership of a new routine that belongs to its author: every PRIVATE one, and a member's routine for their gym. Members
 * add PRIVATE ones by default. Undefined for a routine by staff for a gym or for everybody, which belongs to no user.
 * @throws FORBIDDEN for another gym, and if others than a SUPER_ADMIN ask for PUBLIC; GYM_REQUIRED for GYM without a gym;
 * VALIDATION_FAILED if a private or public routine names a gym
 */
export function ownershipOf(
  viewer: Viewer,
  { gymId, visibility }: { gymId?: string | null | undefined; visibility?: Visibility | null | undefined },
): Ownership | undefined {
  const { userId } = requireUser(viewer);
  const isStaff = isAdmin(viewer);
  if (gymId) requireGym(viewer, gymId);
  const wanted = visibility ?? (isStaff ? undefined : 'PRIVATE');
  if (wanted === 'PUBLIC' && !isSuperAdmin(viewer)) throw onlySuperAdmins();
  if (gymId && (wanted === 'PUBLIC' || wanted === 'PRIVATE'))
    throw invalid(
      'gymId',
      `expected no gym for a routine with the visibility ${wanted}; send the visibility GYM to add it for the gym`,
    );
  if (wanted === 'PRIVATE') return { gymId: null, ownerId: userId, isPrivate: true };
  if (wanted !== 'GYM') return undefined;
  const gym = requireGym(viewer, gymId);
  return isStaff ? undefined : { gymId: gym, ownerId: userId, isPrivate: false };
}

/** The ownership after a change of the visibility. @throws FORBIDDEN if the viewer does not own the routine, or asks for PUBLIC; GYM_REQUIRED */
export function changedOwnership(
  viewer: Viewer,
  routine: Pick<WorkoutRoutine, 'ownerId'>,
  visibility: Visibility,
): Ownership {
  const { userId } = requireUser(viewer);
  if (routine.ownerId !== userId)
    throw forbidden('Only the user who has added a routine for themselves changes its visibility.');
  if (visibility === 'PUBLIC')
    throw forbidden(
      'A routine that a user has added for themselves cannot become one for everybody; choose PRIVATE or GYM, or add a new routine.',
    );
  return {
    gymId: visibility === 'GYM' ? requireOwnGym(viewer) : null,
    ownerId: userId,
    isPrivate: visibility === 'PRIVATE',
  };
}

/** The maximum number of routines of one user. */
const MAX_OWN = 500;

/** @throws CONFLICT if the user has 500 routines of their own */
export async function requireFewerThanMaximum({ em }: UnitOfWork, ownerId: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`routines:${ownerId}`]);
  if ((await em.count(WorkoutRoutine, { ownerId, deletedAt: null })) >= MAX_OWN)
    throw conflict(`You have ${MAX_OWN} own routines, which is the maximum; delete one first.`);
}

/**
 * Whether a routine may use an exercise that its author may see: whoever sees the routine must see its exercises. A custom
 * exercise is readable for those who may read a routine that uses it; but a routine for everybody may not use one.
 */
export const mayUse = (
  { isPrivate, gymId }: Pick<WorkoutRoutine, 'isPrivate' | 'gymId'>,
  exercise: Pick<ExerciseShape, 'gymId' | 'custom'>,
): boolean => {
  if (isPrivate) return true;
  if (exercise.custom) return Boolean(gymId);
  return exercise.gymId === null || exercise.gymId === gymId;
};
