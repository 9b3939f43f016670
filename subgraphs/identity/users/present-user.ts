import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { presented } from '#server/database/columns.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import {
  mayReadBody,
  mayReadMembershipReason,
  maySeeAccountState,
  maySeeContact,
  maySeeEmail,
  maySeeMembership,
  maySeeQrCode,
} from '../access.ts';
import { membershipOf } from '../memberships/membership.ts';
import { belongs, MembershipStatus } from '../memberships/membership-status.ts';
import { UserShape } from './users.shapes.ts';

/** The columns of a user that some viewer may see. */
export const UserRow = UserShape.omit({ membership: true, emailVerified: true, suspension: true })
  .required({ email: true, qrCode: true, body: true, trainingGoals: true })
  .extend({
    membershipGymId: uuid().nullable(),
    membershipStatus: z.enum(MembershipStatus).nullable(),
    membershipSince: z.iso.datetime().nullable(),
    membershipUntil: z.iso.datetime().nullable(),
    membershipReason: z.string().nullable(),
    emailVerifiedAt: z.iso.datetime().nullable(),
    suspendedAt: z.iso.datetime().nullable(),
    suspensionReason: z.string().nullable(),
  });
export type UserRow = z.infer<typeof UserRow>;

/**
 * The user, from an entity or a row, with the fields that this viewer may see.
 * @param now the shown status of the membership is that at this time, in milliseconds since 1970
 */
export function presentUser(
  unit: UnitOfWork,
  user: Parameters<typeof presented<typeof UserRow>>[1],
  viewer = unit.viewer,
  now = Date.now(),
): UserShape {
  const {
    email,
    qrCode,
    body,
    trainingGoals,
    membershipGymId,
    membershipStatus,
    membershipSince,
    membershipUntil,
    membershipReason,
    emailVerifiedAt,
    suspendedAt,
    suspensionReason,
    ...shown
  } = presented(UserRow, user);
  const membership = membershipOf(
    { membershipGymId, membershipStatus, membershipSince, membershipUntil, membershipReason },
    now,
  );
  const account = { ...shown, membershipGymId };
  return {
    ...shown,
    gymId: membership && belongs(membership.status) ? membership.gymId : null,
    avatar: unit.publicPath(shown.avatar),
    ...(maySeeMembership(viewer, account) && {
      membership: membership && {
        ...membership,
        reason: mayReadMembershipReason(viewer, account) ? membership.reason : null,
      },
    }),
    ...(maySeeEmail(viewer, account) && { email }),
    ...(maySeeContact(viewer, account) && { emailVerified: emailVerifiedAt !== null }),
    ...(maySeeAccountState(viewer, account) && {
      suspension: suspendedAt === null ? null : { since: suspendedAt, reason: suspensionReason },
    }),
    ...(maySeeQrCode(viewer, account) && { qrCode }),
    ...(mayReadBody(viewer, account) && { body, trainingGoals }),
  };
}
