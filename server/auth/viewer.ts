import { forbidden, invalid, PlatformError, unauthenticated } from '../errors.ts';
import { isUuid } from '../ids.ts';

export const Role = { MEMBER: 'MEMBER', GYM_ADMIN: 'GYM_ADMIN', SUPER_ADMIN: 'SUPER_ADMIN' } as const;
export type Role = (typeof Role)[keyof typeof Role];

export interface AnonymousViewer {
  readonly kind: 'anonymous';
}
export interface UserViewer {
  readonly kind: 'user';
  readonly userId: string;
  readonly role: Role;
  readonly gymId: string | null;
  /** The log-in that the token belongs to. */
  readonly sessionId: string;
  /** When the token ends, in milliseconds since 1970. */
  readonly expiresAt: number;
}
/** Another service of the platform under its own credentials. */
export interface ServiceViewer {
  readonly kind: 'service';
  readonly service: string;
  /** The user whose wish it carries out, by `X-On-Behalf-Of`: for audits. It gives no right. */
  readonly onBehalfOf?: string;
  readonly expiresAt: number;
}
/** Who asks. Every rule decides by it. */
export type Viewer = AnonymousViewer | UserViewer | ServiceViewer;

export const ANONYMOUS: AnonymousViewer = { kind: 'anonymous' };

/** The logged-in user. @throws UNAUTHENTICATED for anybody else. */
export function requireUser(viewer: Viewer): UserViewer {
  if (viewer.kind === 'anonymous') throw unauthenticated();
  if (viewer.kind === 'service')
    throw forbidden(`This needs a user; the token is that of the service "${viewer.service}".`);
  return viewer;
}

/**
 * The user that an input is about, if only the caller themselves may be named. A service of the platform names anybody.
 * @throws FORBIDDEN for another user, VALIDATION_FAILED if a service names nobody
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

/** @throws UNAUTHENTICATED or FORBIDDEN where the viewer has none of the roles. */
export function requireRole(viewer: Viewer, ...roles: readonly Role[]): UserViewer {
  const user = requireUser(viewer);
  if (!roles.includes(user.role))
    throw forbidden(`This needs the role ${roles.join(' or ')}; yours is ${user.role}.`);
  return user;
}

/**
 * The gym that a gym-bound list or write is about: a SUPER_ADMIN names any by `gymId`, everybody else has their own.
 * @throws GYM_REQUIRED where there is none, FORBIDDEN for another gym's.
 */
export function requireGym(viewer: Viewer, gymId?: string | null): string {
  const user = requireUser(viewer);
  if (user.role === Role.SUPER_ADMIN) {
    const chosen = gymId ?? user.gymId;
    if (!chosen) throw new PlatformError('GYM_REQUIRED', 'Say which gym: add gymId.');
    return chosen;
  }
  if (!user.gymId)
    throw new PlatformError(
      'GYM_REQUIRED',
      'This needs a gym, and you belong to none; ask an admin to add you to one.',
    );
  if (gymId && gymId !== user.gymId) throw forbidden('This belongs to another gym.');
  return user.gymId;
}

/** As `requireGym`, for those who run a gym: its GYM_ADMIN, or a SUPER_ADMIN. */
export function requireGymAdmin(viewer: Viewer, gymId?: string | null): string {
  requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  return requireGym(viewer, gymId);
}

export const isAdmin = (viewer: Viewer): boolean => viewer.kind === 'user' && viewer.role !== Role.MEMBER;
export const isSuperAdmin = (viewer: Viewer): boolean =>
  viewer.kind === 'user' && viewer.role === Role.SUPER_ADMIN;
/** Whether the viewer runs that gym. */
export const runsGym = (viewer: Viewer, gymId: string | null): boolean =>
  viewer.kind === 'user' &&
  (viewer.role === Role.SUPER_ADMIN ||
    (viewer.role === Role.GYM_ADMIN && gymId !== null && viewer.gymId === gymId));
/** Whether the viewer may see what belongs to that gym: its people, and every SUPER_ADMIN. */
export const seesGym = (viewer: Viewer, gymId: string | null): boolean =>
  viewer.kind === 'user' && (viewer.role === Role.SUPER_ADMIN || (gymId !== null && viewer.gymId === gymId));

/** Who is named for what the viewer did: the user, also one for whom a service acts; else the service. */
export const actorOf = (viewer: UserViewer | ServiceViewer): string =>
  viewer.kind === 'user' ? viewer.userId : (viewer.onBehalfOf ?? viewer.service);

/** A service of the platform under its own credentials. @throws UNAUTHENTICATED or FORBIDDEN for anybody else. */
export function requireService(viewer: Viewer): ServiceViewer {
  if (viewer.kind === 'anonymous') throw unauthenticated();
  if (viewer.kind === 'user') throw forbidden('This is for the services of the platform.');
  return viewer;
}
