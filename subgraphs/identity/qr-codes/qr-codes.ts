import { requireService, requireUser } from '#server/auth/viewer.ts';
import { notFound, PlatformError, unauthenticated } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { mayManage, requireStaffOrService } from '../access.ts';
import { presentUser } from '../users/present-user.ts';
import { User } from '../users/user.entity.ts';
import type { UserShape } from '../users/users.shapes.ts';
import type { ResolvedQrCodeShape, ShortLivedQrCodeShape } from './qr-codes.shapes.ts';
import type { ShortLivedCodes } from './short-lived-codes.ts';

/** A code's owner, and its kind. */
interface FoundCode {
  user: User;
  isShortLived: boolean;
  isExpired: boolean;
}

/** The codes with which members check in: a lasting one, which is stored, and short-lived ones, which are signed. */
export class QrCodes {
  private readonly unit: UnitOfWork;
  private readonly shortLived: ShortLivedCodes;

  constructor(unit: UnitOfWork, shortLived: ShortLivedCodes) {
    this.unit = unit;
    this.shortLived = shortLived;
  }

  /** A new code of the viewer that works for a minute. */
  async mine(): Promise<ShortLivedQrCodeShape> {
    const { userId } = requireUser(this.unit.viewer);
    const [own] = await this.unit.read<{ qrCode: string }>(
      'select qr_code as "qrCode" from user_account where id = ?',
      [userId],
    );
    if (!own) throw unauthenticated('Your account has been deleted.');
    const { code, expiresAt } = this.shortLived.issue(userId, own.qrCode);
    return { code, expiresAt: expiresAt.toISOString() };
  }

  /** The user with this code: for services, and for the admins of the user's gym. @throws NOT_FOUND, QR_EXPIRED */
  async userOf(code: string): Promise<UserShape> {
    const { viewer } = this.unit;
    requireStaffOrService(viewer);
    const found = await this.find(code);
    if (!found || !mayManage(viewer, found.user)) throw unknownCode();
    if (found.isExpired)
      throw new PlatformError(
        'QR_EXPIRED',
        'This code has expired. Ask the member to show their code again.',
      );
    return presentUser(this.unit, found.user, viewer);
  }

  /** The owner of a code, also of an expired one; for services. @throws NOT_FOUND */
  async resolve(code: string): Promise<ResolvedQrCodeShape> {
    requireService(this.unit.viewer);
    const found = await this.find(code);
    if (!found) throw unknownCode();
    return { ...found, user: presentUser(this.unit, found.user) };
  }

  private async find(code: string): Promise<FoundCode | undefined> {
    const claimed = this.shortLived.read(code);
    const user = await this.unit.em.findOne(User, claimed ? { id: claimed.userId } : { qrCode: code });
    if (!user || (claimed && !claimed.isSignedFor(user.qrCode))) return undefined;
    return {
      user,
      isShortLived: claimed !== undefined,
      isExpired: claimed !== undefined && claimed.expiresAt.getTime() <= Date.now(),
    };
  }
}

const unknownCode = () => notFound('user with the QR code', '...'); // a message must not contain the code, which is a secret
