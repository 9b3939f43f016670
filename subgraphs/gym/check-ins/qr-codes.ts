import { z } from 'zod';
import { Role } from '#server/auth/viewer.ts';
import { PlatformError } from '#server/errors.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import type { Origin } from '#server/unit-of-work.ts';
import { MembershipShape } from '../members/member-states.ts';
import type { MemberToAdmitShape } from './check-ins.shapes.ts';
import { atGateway, PersonAnswer } from './people.ts';

/** The owner of a check-in code. */
export interface QrCodeOwner {
  userId: string;
  role: Role;
  membership: MembershipShape | null;
  isSuspended: boolean;
  member: MemberToAdmitShape;
  /** Whether the code works for a minute only. */
  isShortLived: boolean;
  /** Whether the minute is over. */
  isExpired: boolean;
}

/** Finds the owner of a check-in code; null if the code has no owner. @throws UPSTREAM_UNAVAILABLE while identity does not answer */
export type ResolveQrCode = (qrCode: string, origin: Origin) => Promise<QrCodeOwner | null>;

const answer = z.object({
  user: PersonAnswer.extend({
    role: z.enum(Role),
    membership: MembershipShape.nullable(),
    suspension: z.object({}).nullable(),
  }),
  isShortLived: z.boolean(),
  isExpired: z.boolean(),
});

/** Whether the text can be a code. Other texts have no owner, and are not sent to identity. */
const isCode = (text: string): boolean => /^[\w.~:-]{1,1024}$/.test(text);

/**
 * Asks identity with this service's own token at every scan, because a rotated code must be refused at once. Only
 * simultaneous scans of one code share an answer.
 */
export function qrCodesOf(identity: ServiceCalls): ResolveQrCode {
  const pending = new Map<string, Promise<QrCodeOwner | null>>();
  const ask = async (qrCode: string, origin: Origin): Promise<QrCodeOwner | null> => {
    try {
      const path = `/qr-codes/${encodeURIComponent(qrCode)}`;
      const { user, ...code } = answer.parse(
        await identity.call({ method: 'GET', path, as: 'service', origin }),
      );
      const { id: userId, role, membership, suspension } = user;
      const member = { ...atGateway(user), membership };
      return { userId, role, membership, isSuspended: suspension !== null, member, ...code };
    } catch (error) {
      if (error instanceof PlatformError && error.status === 404) return null;
      throw error;
    }
  };
  return async (qrCode, origin) => {
    if (!isCode(qrCode)) return null;
    const owner = pending.get(qrCode) ?? ask(qrCode, origin).finally(() => pending.delete(qrCode));
    pending.set(qrCode, owner);
    return owner;
  };
}
