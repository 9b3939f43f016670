import { Role, type UserViewer } from '#server/auth/viewer.ts';
import { forbidden, PlatformError } from '#server/errors.ts';
import { requireMayEnter, wrongGym } from '../members/at-the-door.ts';
import { idOf, type EntryLocation, type Presenter } from './entry.ts';
import type { QrCodeHolder } from './qr-codes.ts';

/** The owner of the code, after checking that they may enter. @throws QR_UNKNOWN, QR_EXPIRED, WRONG_GYM, FORBIDDEN, GYM_REQUIRED, MEMBERSHIP_INACTIVE, ACCOUNT_SUSPENDED */
export function memberLetIn(
  viewer: Presenter,
  found: QrCodeHolder | null,
  location: EntryLocation,
): QrCodeHolder {
  if (isMember(viewer) && found?.userId !== viewer.userId) throw ownCodeOnly();
  const holder = validCode(found);
  const staffElsewhere =
    viewer.kind === 'user' && viewer.role === Role.GYM_ADMIN && viewer.gymId !== location.gymId;
  if (staffElsewhere) throw wrongGym();
  requireMayEnter(holder, location.gymId, { presentsOwn: idOf(viewer) === holder.userId });
  return holder;
}

/** @throws QR_UNKNOWN, QR_EXPIRED */
export function validCode(holder: QrCodeHolder | null): QrCodeHolder {
  if (!holder)
    throw new PlatformError(
      'QR_UNKNOWN',
      'No member has this QR code; it may have been replaced. Ask the member to show their current code.',
    );
  if (holder.isExpired)
    throw new PlatformError(
      'QR_EXPIRED',
      'This QR code worked for a minute, which is over. Ask the member to show the code again: their app requests a new one.',
    );
  return holder;
}

export const isMember = (viewer: Presenter): viewer is UserViewer =>
  viewer.kind === 'user' && viewer.role === Role.MEMBER;

export const ownCodeOnly = () => forbidden('You may present only your own QR code.');
