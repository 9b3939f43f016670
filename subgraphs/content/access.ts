import { requireGymAdmin, requireRole, Role, seesGym, type Viewer } from '#server/auth/viewer.ts';
import { forbidden, notFound } from '#server/errors.ts';

/** What is global is everybody's to see; what a gym made, its people's. A SUPER_ADMIN and the platform's services see all. */
export const sees = (viewer: Viewer, gymId: string | null | undefined): boolean =>
  gymId === null || gymId === undefined || viewer.kind === 'service' || seesGym(viewer, gymId);

/** As `sees`, for lists: true for all, or the one gym whose own things are seen beside the global ones (null: none). */
export function visibleGym(viewer: Viewer): true | string | null {
  if (viewer.kind === 'service' || (viewer.kind === 'user' && viewer.role === Role.SUPER_ADMIN)) return true;
  return viewer.kind === 'user' ? viewer.gymId : null;
}

/**
 * The gym that a new routine, exercise or product belongs to; null if it belongs to every gym.
 * A GYM_ADMIN may name their own gym or none; a SUPER_ADMIN names one, or none for everybody.
 * @throws FORBIDDEN if a GYM_ADMIN names another gym, or asks by an explicit null for what belongs to every gym
 */
export function ownerOfNew(viewer: Viewer, gymId: string | null | undefined): string | null {
  const user = requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  if (user.role === Role.SUPER_ADMIN) return gymId ?? null;
  if (gymId === null) throw forbidden('Only a SUPER_ADMIN makes what belongs to every gym; leave gymId out.');
  return requireGymAdmin(viewer, gymId);
}

/** @throws UNAUTHENTICATED, FORBIDDEN; NOT_FOUND for what the viewer may not even see. */
export function requireWriter(
  viewer: Viewer,
  what: string,
  thing: { id: string; gymId?: string | null },
): void {
  if (!sees(viewer, thing.gymId)) throw notFound(what, thing.id);
  const user = requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  if (user.role === Role.SUPER_ADMIN || (thing.gymId && thing.gymId === user.gymId)) return;
  throw forbidden(`This ${what} belongs to every gym; only a SUPER_ADMIN changes it.`);
}
