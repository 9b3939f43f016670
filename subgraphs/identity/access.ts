import { isClientWith, requireRole, Role, runsGym, seesGym, type Viewer } from '#server/auth/viewer.ts';

interface Account {
  id: string;
  role: Role;
  gymId?: string | null | undefined;
}

const isSelf = (viewer: Viewer, { id }: Pick<Account, 'id'>): boolean =>
  viewer.kind === 'user' && viewer.userId === id;

/** Users see themselves, the users of their gym and every SUPER_ADMIN; services see all users, machine clients those of their gym. */
export const maySee = (viewer: Viewer, user: Account): boolean =>
  viewer.kind === 'service' ||
  isSelf(viewer, user) ||
  isClientOfMembers(viewer, user) ||
  (viewer.kind === 'user' && (user.role === Role.SUPER_ADMIN || seesGym(viewer, user.gymId ?? null)));

const isClientOfMembers = (viewer: Viewer, { gymId }: Account): boolean =>
  isClientWith(viewer, 'members:read', gymId ?? null);

/** The staff of the user's gym, and services: they find a user by QR code, and manage invitations. */
export const mayManage = (viewer: Viewer, { gymId }: Pick<Account, 'gymId'>): boolean =>
  viewer.kind === 'service' || runsGym(viewer, gymId ?? null);

/** Whether the viewer may see the email and the QR code of the user, too. */
export const maySeeContactAndCode = (viewer: Viewer, user: Account): boolean =>
  isSelf(viewer, user) || mayManage(viewer, user);

/** Every user may contact a SUPER_ADMIN, so all users see their email. A machine client sees emails, but no codes. */
export const maySeeEmail = (viewer: Viewer, user: Account): boolean =>
  maySeeContactAndCode(viewer, user) || isClientOfMembers(viewer, user) || user.role === Role.SUPER_ADMIN;

/**
 * Whether the viewer may read the body and the training goals of the user: only the user themselves may, and the wizard
 * service, which restores the previous values when it undoes a deployment.
 */
export const mayReadBody = (viewer: Viewer, user: Account): boolean =>
  isSelf(viewer, user) || (viewer.kind === 'service' && viewer.service === 'wizard');

/** @throws UNAUTHENTICATED, FORBIDDEN for a MEMBER */
export function requireStaffOrService(viewer: Viewer): void {
  if (viewer.kind !== 'service') requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
}
