import { Role, type UserViewer } from '#server/auth/viewer.ts';
import { forbidden, PlatformError } from '#server/errors.ts';
import { idOf, type EntryLocation, type Presenter } from './entry.ts';
import type { QrCodeHolder } from './qr-codes.ts';

/** The members of gyms. */
export interface Memberships {
  /** @throws MEMBERSHIP_INACTIVE if the user's membership at the gym is not active; UPSTREAM_UNAVAILABLE */
  requireActive(gymId: string, userId: string): Promise<void>;
}

/** The owner of the code, after checking that they may enter. @throws QR_UNKNOWN, QR_EXPIRED, WRONG_GYM, FORBIDDEN, GYM_REQUIRED */
export function memberLetIn(
  viewer: Presenter,
  found: QrCodeHolder | null,
  location: EntryLocation,
): QrCodeHolder {
  if (isMember(viewer) && found?.userId !== viewer.userId) throw ownCodeOnly();
  const holder = validCode(found);
  if (idOf(viewer) === holder.userId && !holder.gymId)
    throw new PlatformError('GYM_REQUIRED', 'You belong to no gym yet; ask an admin to add you to one.');
  const staffElsewhere =
    viewer.kind === 'user' && viewer.role === Role.GYM_ADMIN && viewer.gymId !== location.gymId;
  if (holder.gymId !== location.gymId || staffElsewhere)
    throw new PlatformError('WRONG_GYM', 'The location belongs to another gym.');
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
