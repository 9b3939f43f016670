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
  isClientThatReadsMembers(viewer, user) ||
  (viewer.kind === 'user' && (user.role === Role.SUPER_ADMIN || seesGym(viewer, user.gymId ?? null)));

/** Whether the viewer is a machine client that may read the members of the gym of the user's membership. */
const isClientThatReadsMembers = (viewer: Viewer, { membershipGymId }: Account): boolean =>
  isClientWith(viewer, 'members:read', membershipGymId ?? null);
/** Whether the viewer is a machine client that may change the memberships of the gym of the user's membership. */
const isClientThatChangesMemberships = (
  viewer: Viewer,
  { membershipGymId }: Pick<Account, 'membershipGymId'>,
): boolean => isClientWith(viewer, 'members:write', membershipGymId ?? null);

/** Whether the viewer may find the user by their QR code, and manage their invitation: the staff of their gym, and services. */
export const mayManage = (viewer: Viewer, { gymId }: Pick<Account, 'gymId'>): boolean =>
  viewer.kind === 'service' || managesGym(viewer, gymId ?? null);

/** Whether the viewer is a service, or on the staff of the gym of the user's membership, whatever its status. */
const mayManageMember = (viewer: Viewer, { membershipGymId }: Account): boolean =>
  viewer.kind === 'service' || managesGym(viewer, membershipGymId ?? null);

/** Whether the viewer may see the email of the user, and whether it is verified. */
export const maySeeContact = (viewer: Viewer, user: Account): boolean =>
  isSelf(viewer, user) || mayManageMember(viewer, user);

/** Users see their own code, and services every code. The staff of a gym see only the codes of users who belong to it now. */
export const maySeeQrCode = (viewer: Viewer, user: Account): boolean =>
  isSelf(viewer, user) || mayManage(viewer, user);

/** Every user sees the email of a SUPER_ADMIN, to contact them. A machine client sees the emails of its gym's members. */
export const maySeeEmail = (viewer: Viewer, user: Account): boolean =>
  maySeeContact(viewer, user) || isClientThatReadsMembers(viewer, user) || user.role === Role.SUPER_ADMIN;

/** Members do not see each other's memberships. */
export const maySeeMembership = (viewer: Viewer, user: Account): boolean =>
  maySeeContact(viewer, user) ||
  isClientThatReadsMembers(viewer, user) ||
  isClientThatChangesMemberships(viewer, user);

/** The user, staff, and machine clients that change memberships may read why staff have changed a membership. */
export const mayReadMembershipReason = (viewer: Viewer, user: Account): boolean =>
  maySeeContact(viewer, user) || isClientThatChangesMemberships(viewer, user);

/** Whether the viewer may see that the account is suspended. */
export const maySeeAccountState = (viewer: Viewer, user: Account): boolean => mayManageMember(viewer, user);

/** Staff of the gym and its machine clients change memberships. */
export const mayChangeMembership = (viewer: Viewer, user: Pick<Account, 'membershipGymId'>): boolean =>
  managesGym(viewer, user.membershipGymId ?? null) || isClientThatChangesMemberships(viewer, user);

/**
 * Whether the viewer may read the body and the training goals of the user: only the user themselves may, and the wizard
 * service, which restores the previous values when it undoes a deployment.
 */
export const mayReadBody = (viewer: Viewer, user: Account): boolean =>
  isSelf(viewer, user) || (viewer.kind === 'service' && viewer.service === 'wizard');

/** @throws UNAUTHENTICATED; FORBIDDEN for a MEMBER and for a machine client */
export function requireStaffOrService(viewer: Viewer): void {
  if (viewer.kind !== 'service') requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
}
