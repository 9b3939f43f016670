import type { Scope } from '#server/auth/scopes.ts';
import {
  isClientAt,
  isClientWith,
  isSuperAdmin,
  managesGym,
  requireUser,
  seesGym,
  type Viewer,
} from '#server/auth/viewer.ts';
import { forbidden, notFound } from '#server/errors.ts';
import { isEventType } from '#server/events/event-types.ts';
import { mayReadType } from '#server/events/feed.ts';

/** Anything that belongs to one gym: a location, a challenge, a post, an announcement. */
interface OfGym {
  gymId: string;
}
/** A visit or a booking. */
interface OfMember extends OfGym {
  userId?: string | null | undefined;
}
interface Post extends OfGym {
  authorId?: string | null | undefined;
}

interface Order extends OfGym {
  userId: string | null;
}

interface WebhookOfGym {
  gymId: string | null;
  types: readonly string[];
  locationId: string | null;
}

const isSelf = (viewer: Viewer, userId: string | null | undefined): boolean =>
  viewer.kind === 'user' && viewer.userId === userId;

/** The gym's own users and SUPER_ADMINs. */
export const maySee = (viewer: Viewer, { gymId }: OfGym): boolean => seesGym(viewer, gymId);
/** The gym's GYM_ADMIN and SUPER_ADMINs: its staff. */
export const mayManage = (viewer: Viewer, { gymId }: OfGym): boolean => managesGym(viewer, gymId);
/**
 * Services see every location that is in use, because the wizard checks slots; machine clients see those at which they may
 * act. Only staff see a location that is closed for good.
 */
export const maySeeLocation = (
  viewer: Viewer,
  location: OfGym & { id: string; closedAt: string | Date | null },
): boolean =>
  mayManage(viewer, location) ||
  (location.closedAt === null &&
    (viewer.kind === 'service' ||
      maySee(viewer, location) ||
      LOCATION_SCOPES.some((scope) => isClientAt(viewer, scope, location))));
/** A machine client with one of these scopes sees locations and their occupancy. */
export const LOCATION_SCOPES = ['check-in', 'occupancy:read'] as const satisfies readonly Scope[];
/** Members see and end their own visits, staff all visits of their gym. */
export const maySeeVisit = (viewer: Viewer, visit: OfMember): boolean =>
  isSelf(viewer, visit.userId) || mayManage(viewer, visit);
/** As `maySeeVisit`; a machine client also ends visits at the locations at which it may act. */
export const mayEndVisit = (viewer: Viewer, visit: OfMember & { locationId: string }): boolean =>
  maySeeVisit(viewer, visit) || isClientAt(viewer, 'check-in', { id: visit.locationId, gymId: visit.gymId });
/**
 * Whether the viewer may present codes at this location. It refuses only machine clients: `ownerWhoMayEnter` checks users,
 * because their rights depend on who owns the code.
 */
export const mayCheckInAt = (viewer: Viewer, location: OfGym & { id: string }): boolean =>
  viewer.kind !== 'client' || isClientAt(viewer, 'check-in', location);
/** The gym's users and staff see its classes and sessions; machine clients see those at the locations that they may read. */
export const maySeeClass = (viewer: Viewer, { gymId, locationId }: OfGym & { locationId: string }): boolean =>
  maySee(viewer, { gymId }) || isClientAt(viewer, 'classes:read', { id: locationId, gymId });
/** Members see and cancel their own bookings, staff all bookings of their gym. */
export const mayChangeBooking = (viewer: Viewer, booking: OfMember): boolean =>
  isSelf(viewer, booking.userId) || mayManage(viewer, booking);
/** As `mayChangeBooking`; a machine client also sees the bookings at the locations that it may read. */
export const maySeeBooking = (viewer: Viewer, booking: OfMember & { locationId: string }): boolean =>
  mayChangeBooking(viewer, booking) ||
  isClientAt(viewer, 'classes:read', { id: booking.locationId, gymId: booking.gymId });
export const mayUndoVisit = (viewer: Viewer, visit: OfMember): boolean => mayManage(viewer, visit);
/** Staff and machine clients see who is inside a location, its visits and its denials; also after it was closed for good. */
export const maySeeVisitsAt = (viewer: Viewer, location: OfGym & { id: string }): boolean =>
  mayManage(viewer, location) || isClientAt(viewer, 'visits:read', location);
/** Whether the viewer may let members in although the location is full or outside of its opening hours. */
export const mayOverride = (viewer: Viewer, location: OfGym): boolean => mayManage(viewer, location);
/**
 * The staff of a gym manage its webhooks; only a SUPER_ADMIN manages those for all gyms. A machine client manages the
 * webhooks of which it may read all events.
 */
export const mayManageWebhook = (viewer: Viewer, webhook: WebhookOfGym): boolean =>
  managesGym(viewer, webhook.gymId) ||
  (viewer.kind === 'client' &&
    isClientWith(viewer, 'webhooks', webhook.gymId) &&
    (viewer.locationId === null || viewer.locationId === webhook.locationId) &&
    webhook.types.every((type) => isEventType(type) && mayReadType(viewer, type)));
/** The author of a comment and those who manage the gym of its post. */
export const mayDeleteComment = (viewer: Viewer, comment: Post): boolean => mayDeletePost(viewer, comment);
/** Users see their own orders; staff, and machine clients with the scope `orders:read`, see all orders of the gym. */
export const maySeeOrder = (viewer: Viewer, order: Order): boolean =>
  isSelf(viewer, order.userId) ||
  mayManage(viewer, order) ||
  isClientWith(viewer, 'orders:read', order.gymId);
export const mayDeletePost = (viewer: Viewer, post: Post): boolean =>
  isSelf(viewer, post.authorId) || mayManage(viewer, post);
/** Whether the viewer may see the user's visits in all gyms. A GYM_ADMIN may see only the visits in their own gym. */
export const maySeeAllVisitsOf = (viewer: Viewer, userId: string): boolean =>
  isSelf(viewer, userId) || isSuperAdmin(viewer);

/**
 * @throws UNAUTHENTICATED; FORBIDDEN for a service or a machine client; NOT_FOUND if there is no `thing`, or if the viewer may not
 * see it
 */
export function requireSight<Thing extends OfGym>(
  viewer: Viewer,
  what: string,
  id: string,
  thing: Thing | null,
): Thing {
  requireUser(viewer);
  if (!thing || !maySee(viewer, thing)) throw notFound(what, id);
  return thing;
}

/** @throws the errors of `requireSight`; FORBIDDEN with the message `refusal` for a user who is not staff of the gym */
export function requireManage(
  viewer: Viewer,
  what: string,
  thing: OfGym & { id: string },
  refusal: string,
): void {
  requireSight(viewer, what, thing.id, thing);
  if (!mayManage(viewer, thing)) throw forbidden(refusal);
}
