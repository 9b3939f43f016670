import { createHash } from 'node:crypto';

/** The stored form of a token: SHA-256, because 256 random bits need no slow hash. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
