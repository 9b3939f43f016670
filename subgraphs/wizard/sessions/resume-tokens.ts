import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The secret that opens a session without an account; only its hash is stored. */
export const newResumeToken = (): string => randomBytes(32).toString('base64url');

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Whether this hash is the hash of the token; compared in constant time. */
export const isToken = (token: string | null | undefined, hash: string | null): boolean =>
  Boolean(token && hash && timingSafeEqual(Buffer.from(hash), Buffer.from(hashOfToken(token))));
