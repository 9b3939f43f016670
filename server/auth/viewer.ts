import { forbidden, invalid, PlatformError, unauthenticated } from '../errors.ts';
import { isUuid } from '../ids.ts';
import type { Scope } from './scopes.ts';

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
/** A machine client of a gym, such as a turnstile or a CRM, authenticated by its own token. It may do what its scopes say. */
export interface ClientViewer {
  readonly kind: 'client';
  readonly clientId: string;
  readonly gymId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The only location whose visits and occupancy the client may read and write; null: all locations of its gym. */
  readonly locationId: string | null;
  /** The client's id: if the client is deleted, its tokens are refused like those of an ended session with this id. */
  readonly sessionId: string;
  readonly expiresAt: number;
}
/** A caller with a token. */
export type KnownViewer = UserViewer | ServiceViewer | ClientViewer;
/** The caller. Every rule decides the rights by its viewer. */
export type Viewer = AnonymousViewer | KnownViewer;

export const ANONYMOUS: AnonymousViewer = { kind: 'anonymous' };

/** The logged-in user. @throws UNAUTHENTICATED or FORBIDDEN for any other caller. */
export function requireUser(viewer: Viewer): UserViewer {
  if (viewer.kind === 'anonymous') throw unauthenticated();
  if (viewer.kind === 'service')
    throw forbidden(`Only a user may do this; the token belongs to the service "${viewer.service}".`);
  if (viewer.kind === 'client')
    throw forbidden('Only a user may do this; the token belongs to a machine client.');
  return viewer;
}

/** Whether the viewer is a machine client of this gym with this scope. */
export const isClientWith = (viewer: Viewer, scope: Scope, gymId: string | null): boolean =>
  viewer.kind === 'client' && viewer.gymId === gymId && viewer.scopes.has(scope);

/** As `isClientWith`, and the client may act at this location. */
export const isClientAt = (viewer: Viewer, scope: Scope, location: { id: string; gymId: string }): boolean =>
  viewer.kind === 'client' &&
  isClientWith(viewer, scope, location.gymId) &&
  (viewer.locationId === null || viewer.locationId === location.id);

/** The client's gym. @throws FORBIDDEN for another gym */
export function requireGymOfClient(client: ClientViewer, gymId: string | null | undefined): string {
  if (gymId && gymId !== client.gymId) throw forbidden('This belongs to another gym.');
  return client.gymId;
}

/** Requires at least one of the scopes. @throws FORBIDDEN that names the scopes */
export function requireScope(client: ClientViewer, ...scopes: readonly Scope[]): void {
  if (!scopes.some((scope) => client.scopes.has(scope)))
    throw forbidden(`This needs the scope ${scopes.join(' or ')}, which the token does not have.`);
}

/**
 * As `requireUser`, but it also admits a machine client with at least one of the scopes.
 * @throws UNAUTHENTICATED or FORBIDDEN; for a machine client, FORBIDDEN names the scopes
 */
export function requireUserOrScope(viewer: Viewer, ...scopes: readonly Scope[]): UserViewer | ClientViewer {
  if (viewer.kind !== 'client') return requireUser(viewer);
  requireScope(viewer, ...scopes);
  return viewer;
}

/**
 * The user that an input is about, if users may name only themselves. A service of the platform may name any user.
 * @throws FORBIDDEN for another user, VALIDATION_FAILED if a service names no user
 */
export function requireSelf(viewer: Viewer, userId: string | null | undefined): string {
  if (viewer.kind === 'service') {
    if (!userId || !isUuid(userId)) throw invalid('userId', 'expected the id of the user');
    return userId;
  }
  const user = requireUser(viewer);
  if (userId && userId !== user.userId)
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
 * The gym that a read or write is about: a SUPER_ADMIN names any gym by `gymId` (default: their own), every other user has their
 * own.
 * @throws GYM_REQUIRED if a SUPER_ADMIN neither names a gym nor has one, or if another user has none; FORBIDDEN if another user
 * names a gym that is not theirs
 */
export function requireGym(viewer: Viewer, gymId?: string | null): string {
  const user = requireUser(viewer);
  if (user.role === Role.SUPER_ADMIN) {
    const chosen = gymId ?? user.gymId;
    if (!chosen) throw new PlatformError('GYM_REQUIRED', 'Name a gym: add gymId.');
    return chosen;
  }
  const own = requireOwnGym(viewer);
  if (gymId && gymId !== own) throw forbidden('This belongs to another gym.');
  return own;
}

/**
 * The gym of the user, for requests that cannot name another one.
 * @throws GYM_REQUIRED if the user has no gym, even if they are a SUPER_ADMIN
 */
export function requireOwnGym(viewer: Viewer): string {
  const { gymId } = requireUser(viewer);
  if (gymId) return gymId;
  throw new PlatformError('GYM_REQUIRED', 'You belong to no gym; ask an admin to add you to one.');
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
export const managesGym = (viewer: Viewer, gymId: string | null): boolean =>
  viewer.kind === 'user' &&
  (viewer.role === Role.SUPER_ADMIN ||
    (viewer.role === Role.GYM_ADMIN && gymId !== null && viewer.gymId === gymId));
/** Whether the viewer may see what belongs to that gym: the gym's users may, and every SUPER_ADMIN. */
export const seesGym = (viewer: Viewer, gymId: string | null): boolean =>
  viewer.kind === 'user' && (viewer.role === Role.SUPER_ADMIN || (gymId !== null && viewer.gymId === gymId));

/** The actor of an audit record: the user, also if a service acts for them; else the service or client. */
export function actorOf(viewer: KnownViewer): string {
  if (viewer.kind === 'user') return viewer.userId;
  return viewer.kind === 'client' ? callerKey(viewer) : (viewer.onBehalfOf ?? viewer.service);
}

/** Identifies a caller over all their tokens, e.g. `user:<id>`. A client's key is the `sub` of its tokens. */
export function callerKey(viewer: KnownViewer): string {
  if (viewer.kind === 'user') return `user:${viewer.userId}`;
  return viewer.kind === 'client' ? `${CLIENT_SUBJECT}${viewer.clientId}` : `service:${viewer.service}`;
}

/** The beginning of the `sub` of a machine client's token. */
export const CLIENT_SUBJECT = 'client:';

/** A service of the platform. @throws UNAUTHENTICATED or FORBIDDEN for any other caller. */
export function requireService(viewer: Viewer): ServiceViewer {
  if (viewer.kind === 'anonymous') throw unauthenticated();
  if (viewer.kind !== 'service') throw forbidden('Only a service of the platform may call this.');
  return viewer;
}
