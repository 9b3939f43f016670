import { forbidden, invalid, PlatformError, unauthenticated } from '../errors.ts';
import { isUuid } from '../ids.ts';

export const Role = { MEMBER: 'MEMBER', GYM_ADMIN: 'GYM_ADMIN', SUPER_ADMIN: 'SUPER_ADMIN' } as const;
export type Role = (typeof Role)[keyof typeof Role];

interface AnonymousViewer {
  readonly kind: 'anonymous';
}
export interface UserViewer {
  readonly kind: 'user';
  readonly userId: string;
  readonly role: Role;
  readonly gymId: string | null;
  /** The session that the token belongs to. */
  readonly sessionId: string;
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}
/** Another service of the platform, authenticated by its own token. */
export interface ServiceViewer {
  readonly kind: 'service';
  readonly service: string;
  /** The user for whom the service acts, from `X-On-Behalf-Of`. For audit records only: it grants no rights. */
  readonly onBehalfOf?: string;
  readonly expiresAt: number;
}
/** The caller. Every rule decides the rights by its viewer. */
export type Viewer = AnonymousViewer | UserViewer | ServiceViewer;

export const ANONYMOUS: AnonymousViewer = { kind: 'anonymous' };

/** The logged-in user. @throws UNAUTHENTICATED or FORBIDDEN for any other caller. */
export function requireUser(viewer: Viewer): UserViewer {
  if (viewer.kind === 'anonymous') throw unauthenticated();
  if (viewer.kind === 'service')
    throw forbidden(`Only a user may do this; the token belongs to the service "${viewer.service}".`);
  return viewer;
}

/**
 * The user that an input is about, if users may name only themselves. A service of the platform may name any user.
 * @throws FORBIDDEN for another user, VALIDATION_FAILED if a service names no user
 */
export function requireSelf(viewer: Viewer, userId: string | null | undefined): string {
  if (viewer.kind === 'service') {
    if (!userId || !isUuid(userId)) throw invalid('userId', 'expected the id of the user');
    return userId.toLowerCase();
  }
  const user = requireUser(viewer);
  if (userId && userId.toLowerCase() !== user.userId.toLowerCase())
    throw forbidden('userId names another user; leave it out, or send your own.');
  return user.userId;
}

/** @throws UNAUTHENTICATED or FORBIDDEN if the viewer has none of the roles */
export function requireRole(viewer: Viewer, ...roles: readonly Role[]): UserViewer {
  const user = requireUser(viewer);
  if (!roles.includes(user.role))
    throw forbidden(`Only the role ${roles.join(' or ')} may do this; yours is ${user.role}.`);
  return user;
}

/**
 * The gym that a read or write is about: a SUPER_ADMIN names any gym by `gymId`, every other user has their own.
 * @throws GYM_REQUIRED if there is no such gym, FORBIDDEN for another gym
 */
export function requireGym(viewer: Viewer, gymId?: string | null): string {
  const user = requireUser(viewer);
  if (user.role === Role.SUPER_ADMIN) {
    const chosen = gymId ?? user.gymId;
    if (!chosen) throw new PlatformError('GYM_REQUIRED', 'Name a gym: add gymId.');
    return chosen;
  }
  if (!user.gymId)
    throw new PlatformError('GYM_REQUIRED', 'You belong to no gym; ask an admin to add you to one.');
  if (gymId && gymId !== user.gymId) throw forbidden('This belongs to another gym.');
  return user.gymId;
}

/** As `requireGym`, for staff only: a GYM_ADMIN of the gym, or a SUPER_ADMIN. */
export function requireGymAdmin(viewer: Viewer, gymId?: string | null): string {
  requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  return requireGym(viewer, gymId);
}

export const isAdmin = (viewer: Viewer): boolean => viewer.kind === 'user' && viewer.role !== Role.MEMBER;
export const isSuperAdmin = (viewer: Viewer): boolean =>
  viewer.kind === 'user' && viewer.role === Role.SUPER_ADMIN;
/** Whether the viewer manages that gym, as its GYM_ADMIN or as a SUPER_ADMIN. */
export const runsGym = (viewer: Viewer, gymId: string | null): boolean =>
  viewer.kind === 'user' &&
  (viewer.role === Role.SUPER_ADMIN ||
    (viewer.role === Role.GYM_ADMIN && gymId !== null && viewer.gymId === gymId));
/** Whether the viewer may see what belongs to that gym: the gym's users may, and every SUPER_ADMIN. */
export const seesGym = (viewer: Viewer, gymId: string | null): boolean =>
  viewer.kind === 'user' && (viewer.role === Role.SUPER_ADMIN || (gymId !== null && viewer.gymId === gymId));

/** The actor of an audit record: the user, also if a service acts for them; else the service. */
export const actorOf = (viewer: UserViewer | ServiceViewer): string =>
  viewer.kind === 'user' ? viewer.userId : (viewer.onBehalfOf ?? viewer.service);

/** A service of the platform. @throws UNAUTHENTICATED or FORBIDDEN for any other caller. */
export function requireService(viewer: Viewer): ServiceViewer {
  if (viewer.kind === 'anonymous') throw unauthenticated();
  if (viewer.kind === 'user') throw forbidden('Only a service of the platform may call this.');
  return viewer;
}
