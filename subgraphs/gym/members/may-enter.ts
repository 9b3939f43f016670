import type { Viewer } from '#server/auth/viewer.ts';
import { PlatformError } from '#server/errors.ts';
import type { MemberToAdmitShape } from '../check-ins/check-ins.shapes.ts';
import type { QrCodeOwner } from '../check-ins/qr-codes.ts';
import { belongs, inactive, isStaffOf } from './memberships.ts';

/**
 * Requires that the owner of a code may enter a gym: members need an active membership of it, its staff need none.
 * `presentsOwn` says whether the caller presents their own code.
 * @throws ACCOUNT_SUSPENDED, MEMBERSHIP_INACTIVE, WRONG_GYM; GYM_REQUIRED for a caller without a gym who presents their own
 * code
 */
export function requireMayEnter(
  { role, membership, isSuspended }: QrCodeOwner,
  gymId: string,
  { presentsOwn }: { presentsOwn: boolean },
): void {
  if (isSuspended)
    throw new PlatformError(
      'ACCOUNT_SUSPENDED',
      'The account of this member is suspended; only a SUPER_ADMIN can end the suspension.',
    );
  if (isStaffOf({ role, membership }, gymId)) return;
  if (membership?.gymId === gymId) {
    if (membership.status !== 'ACTIVE') throw inactive(membership);
    return;
  }
  if (presentsOwn && (membership === null || !belongs(membership)))
    throw new PlatformError(
      'GYM_REQUIRED',
      'You belong to no gym yet; join one, or ask an admin to add you.',
    );
  throw wrongGym();
}

export const wrongGym = () => new PlatformError('WRONG_GYM', 'The location belongs to another gym.');

/** The member as the presenter of their code sees them. A machine client does not see why staff changed the membership. */
export const shownToPresenter = (
  viewer: Viewer,
  { membership, ...member }: MemberToAdmitShape,
): MemberToAdmitShape => ({
  ...member,
  membership: membership && { ...membership, reason: viewer.kind === 'user' ? membership.reason : null },
});
