import {
  isClientWith,
  isSuperAdmin,
  managesGym,
  requireGymAdmin,
  requireRole,
  requireUser,
  Role,
  seesGym,
  type Viewer,
} from '#server/auth/viewer.ts';
import { forbidden, notFound } from '#server/errors.ts';
import { callers } from '#server/rest/callers.ts';

/** The callers who may add content; see `ownerOfNew`. */
export const CONTENT_AUTHORS = callers(
  'GYM_ADMIN: to their gym; SUPER_ADMIN: for all gyms, or to any gym',
  'GYM_ADMIN',
  'SUPER_ADMIN',
);

/** An exercise, routine or product. Without a gym it is global (every gym has it), unless it is private. */
interface Content {
  id: string;
  gymId?: string | null | undefined;
  /** The user who has added it for themselves, or for their gym; absent or null: it belongs to no user. */
  ownerId?: string | null | undefined;
  /** Whether only the owner sees it. */
  isPrivate?: boolean | undefined;
}

const owns = (viewer: Viewer, { ownerId }: Pick<Content, 'ownerId'>): boolean =>
  viewer.kind === 'user' && ownerId !== null && ownerId === viewer.userId;

/**
 * Everybody sees global content; only a gym's own users and machine clients, SUPER_ADMINs and services see what the gym has
 * added. Private routines and exercises are visible only to their owner and to services, not to staff.
 */
export const maySee = (viewer: Viewer, content: Omit<Content, 'id'>): boolean => {
  if (viewer.kind === 'service' || owns(viewer, content)) return true;
  if (content.isPrivate) return false;
  const { gymId } = content;
  return (
    gymId === null ||
    gymId === undefined ||
    seesGym(viewer, gymId) ||
    isClientWith(viewer, 'content:read', gymId)
  );
};

/** The content that the viewer may see, for lists. True: all content; an id: global content and that of this gym; null: global content only. */
export function visibleGym(viewer: Viewer): true | string | null {
  if (viewer.kind === 'service' || isSuperAdmin(viewer)) return true;
  if (viewer.kind === 'client') return viewer.scopes.has('content:read') ? viewer.gymId : null;
  return viewer.kind === 'user' ? viewer.gymId : null;
}

/** Owners may change their own content, a SUPER_ADMIN all that is not private, a GYM_ADMIN what belongs to their gym. */
const mayChange = (viewer: Viewer, content: Content): boolean =>
  owns(viewer, content) || (!content.isPrivate && managesGym(viewer, content.gymId ?? null));

/** @throws UNAUTHENTICATED, FORBIDDEN; NOT_FOUND for content that the viewer may not see */
export function requireChange(viewer: Viewer, what: string, content: Content): void {
  if (!maySee(viewer, content)) throw notFound(what, content.id);
  if (owns(viewer, content)) return;
  requireAdmin(viewer);
  if (!mayChange(viewer, content))
    throw forbidden(`This ${what} belongs to every gym; only a SUPER_ADMIN changes it.`);
}

/** @throws UNAUTHENTICATED, FORBIDDEN for a MEMBER or a service */
export const requireAdmin = (viewer: Viewer) => requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);

/**
 * The gym that new content belongs to; null if it is global. A GYM_ADMIN may name their own gym or none; a SUPER_ADMIN
 * names a gym, or none for global content.
 * @throws FORBIDDEN if a GYM_ADMIN names another gym, or asks for global content by an explicit null
 */
export function ownerOfNew(viewer: Viewer, gymId: string | null | undefined): string | null {
  requireAdmin(viewer);
  if (isSuperAdmin(viewer)) return gymId ?? null;
  if (gymId === null) throw forbidden('Only a SUPER_ADMIN adds what belongs to every gym; leave gymId out.');
  return requireGymAdmin(viewer, gymId);
}

/**
 * Only the owner may read and change their trainings; staff may not. NOT_FOUND does not reveal whether another user trains.
 * @param userId an id, or `me` for the caller
 * @returns the owner's id
 * @throws UNAUTHENTICATED, FORBIDDEN for a caller that is no user, NOT_FOUND for another user
 */
export function requireTrainingOwner(viewer: Viewer, userId: string): string {
  const user = requireUser(viewer);
  if (userId === 'me' || userId === user.userId) return user.userId;
  throw notFound('training log of the user', userId);
}
