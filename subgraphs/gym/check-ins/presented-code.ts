import { Role, type UserViewer } from '#server/auth/viewer.ts';
import { forbidden, PlatformError } from '#server/errors.ts';
import { requireMayEnter, wrongGym } from '../members/may-enter.ts';
import { idOf, type EntryLocation, type Presenter } from './entry.ts';
import type { QrCodeOwner } from './qr-codes.ts';

/**
 * The owner of a code, if the viewer may present it and the owner may enter.
 * @throws QR_UNKNOWN, QR_EXPIRED, WRONG_GYM, FORBIDDEN, GYM_REQUIRED, MEMBERSHIP_INACTIVE, ACCOUNT_SUSPENDED
 */
export function ownerWhoMayEnter(
  viewer: Presenter,
  found: QrCodeOwner | null,
  location: EntryLocation,
): QrCodeOwner {
  if (isMember(viewer) && found?.userId !== viewer.userId) throw ownCodeOnly();
  const owner = ownerOfValidCode(found);
  const staffElsewhere =
    viewer.kind === 'user' && viewer.role === Role.GYM_ADMIN && viewer.gymId !== location.gymId;
  if (staffElsewhere) throw wrongGym();
  requireMayEnter(owner, location.gymId, { presentsOwn: idOf(viewer) === owner.userId });
  return owner;
}

/** @throws QR_UNKNOWN, QR_EXPIRED */
export function ownerOfValidCode(owner: QrCodeOwner | null): QrCodeOwner {
  if (!owner)
    throw new PlatformError(
      'QR_UNKNOWN',
      'No member has this QR code; it may have been replaced. Ask the member to show their current code.',
    );
  if (owner.isExpired)
    throw new PlatformError(
      'QR_EXPIRED',
      'This QR code has expired: it was valid for one minute. Ask the member to show the code again: their app requests a new one.',
    );
  return owner;
}

export const isMember = (viewer: Presenter): viewer is UserViewer =>
  viewer.kind === 'user' && viewer.role === Role.MEMBER;

export const ownCodeOnly = () => forbidden('You may present only your own QR code.');
