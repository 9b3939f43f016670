import { createHash } from 'node:crypto';

/** What is stored of a token: SHA-256, since 256 random bits need no slower hash. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
