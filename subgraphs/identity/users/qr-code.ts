import { randomBytes } from 'node:crypto';

/** The code that a member shows to check in: 160 random bits, with a prefix that distinguishes it from other codes. */
export const newQrCode = (): string => `FIT-${randomBytes(20).toString('base64url')}`;
