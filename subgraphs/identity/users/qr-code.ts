import { randomBytes } from 'node:crypto';

/** A new lasting code for check-ins: 160 random bits, with a prefix that distinguishes it from other codes. */
export const newQrCode = (): string => `FIT-${randomBytes(20).toString('base64url')}`;
