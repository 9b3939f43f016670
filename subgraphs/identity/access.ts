import { isClientWith, managesGym, requireRole, Role, seesGym, type Viewer } from '#server/auth/viewer.ts';

interface Account {
  id: string;
  role: Role;
  /** The gym that the account belongs to. */
  gymId?: string | null | undefined;
  /** The gym of its membership, also if it is PENDING or ENDED. */
  membershipGymId?: string | null | undefined;
}

const isSelf = (viewer: Viewer, { id }: Pick<Account, 'id'>): boolean =>
  viewer.kind === 'user' && viewer.userId === id;

/**
 * Users see themselves, the users of their gym and every SUPER_ADMIN. Staff, and machine clients with the scope
 * `members:read`, also see those who have applied to their gym or have left it. Services see all users.
 */
export const maySee = (viewer: Viewer, user: Account): boolean =>
  maySeeContact(viewer, user) ||
  isClientOfMembers(viewer, user) ||
  (viewer.kind === 'user' && (user.role === Role.SUPER_ADMIN || seesGym(viewer, user.gymId ?? null)));

const isClientOfMembers = (viewer: Viewer, { membershipGymId }: Account): boolean =>
  isClientWith(viewer, 'members:read', membershipGymId ?? null);
/** A machine client that changes memberships. */
const isClientOfMemberships = (
  viewer: Viewer,
  { membershipGymId }: Pick<Account, 'membershipGymId'>,
): boolean => isClientWith(viewer, 'members:write', membershipGymId ?? null);

/** The staff of the user's gym, and services: they find a user by QR code, and manage invitations. */
export const mayManage = (viewer: Viewer, { gymId }: Pick<Account, 'gymId'>): boolean =>
  viewer.kind === 'service' || managesGym(viewer, gymId ?? null);

/** The staff of the gym of the user's membership, whatever its status, and services. */
const mayManageMember = (viewer: Viewer, { membershipGymId }: Account): boolean =>
  viewer.kind === 'service' || managesGym(viewer, membershipGymId ?? null);

/** Whether the viewer may see the email of the user, and whether it is verified. */
export const maySeeContact = (viewer: Viewer, user: Account): boolean =>
  isSelf(viewer, user) || mayManageMember(viewer, user);

/** The staff of a gym see the codes only of those who belong to it now. */
export const maySeeQrCode = (viewer: Viewer, user: Account): boolean =>
  isSelf(viewer, user) || mayManage(viewer, user);

/** Every user may contact a SUPER_ADMIN, so all users see their email. A machine client sees emails, but no codes. */
export const maySeeEmail = (viewer: Viewer, user: Account): boolean =>
  maySeeContact(viewer, user) || isClientOfMembers(viewer, user) || user.role === Role.SUPER_ADMIN;

/** Members do not see each other's memberships. */
export const maySeeMembership = (viewer: Viewer, user: Account): boolean =>
  maySeeContact(viewer, user) || isClientOfMembers(viewer, user) || isClientOfMemberships(viewer, user);

/** The user, staff, and machine clients that change memberships may read why staff have changed a membership. */
export const mayReadMembershipReason = (viewer: Viewer, user: Account): boolean =>
  maySeeContact(viewer, user) || isClientOfMemberships(viewer, user);

/** Whether the viewer may see that the account is suspended. */
export const maySeeAccountState = (viewer: Viewer, user: Account): boolean => mayManageMember(viewer, user);

/** Staff of the gym and its machine clients change memberships. */
export const mayChangeMembership = (viewer: Viewer, user: Pick<Account, 'membershipGymId'>): boolean =>
  managesGym(viewer, user.membershipGymId ?? null) || isClientOfMemberships(viewer, user);

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
