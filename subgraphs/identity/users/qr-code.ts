import { randomBytes } from 'node:crypto';

/** What a member shows to check in: 160 random bits, told by its start from codes of other kinds. */
export const newQrCode = (): string => `FIT-${randomBytes(20).toString('base64url')}`;
