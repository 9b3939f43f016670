import { z } from 'zod';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { PlatformError } from '#server/errors.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import type { Origin } from '#server/unit-of-work.ts';

/** Whose check-in code it is. */
export interface QrCodeHolder {
  userId: string;
  gymId: string | null;
}

/** Finds whose a check-in code is; null where nobody's. @throws UPSTREAM_UNAVAILABLE while identity does not answer. */
export type ResolveQrCode = (qrCode: string, origin: Origin) => Promise<QrCodeHolder | null>;

const FRESH_MILLIS = 5_000; // 5 s: so long a code that was rotated still opens
const answer = z.object({ id: z.uuid(), gymId: z.uuid().nullable() });

/** Asks identity under this service's own credentials; a scanner that repeats itself is answered from memory for 5 s. */
export function qrCodesOf(identity: ServiceCalls): ResolveQrCode {
  const known = boundedCache<string, QrCodeHolder>({
    name: 'qr_codes',
    maxEntries: 5_000,
    maxBytes: 4 * 1024 * 1024, // 4 MiB
    bytesOf: (_holder, code) => bytesOfText(code) + 200,
    ttlMillis: FRESH_MILLIS,
  });
  const asking = new Map<string, Promise<QrCodeHolder | null>>();
  // What cannot be a code (or a path) is nobody's.
  const isCode = (text: string) => /^[\w.~:-]{1,100}$/.test(text);
  const ask = async (qrCode: string, origin: Origin): Promise<QrCodeHolder | null> => {
    try {
      const path = `/users/by-qr-code/${encodeURIComponent(qrCode)}`;
      const { id: userId, gymId } = answer.parse(
        await identity.call({ method: 'GET', path, as: 'service', origin }),
      );
      const holder = { userId, gymId };
      known.set(qrCode, holder);
      return holder;
    } catch (error) {
      if (error instanceof PlatformError && error.status === 404) return null;
      throw error;
    }
  };
  return async (qrCode, origin) => {
    if (!isCode(qrCode)) return null;
    const holder = known.get(qrCode);
    if (holder) return holder;
    const asked = asking.get(qrCode) ?? ask(qrCode, origin).finally(() => asking.delete(qrCode));
    asking.set(qrCode, asked);
    return asked;
  };
}
