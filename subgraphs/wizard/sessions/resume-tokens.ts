import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The secret that stands for an account in a session that was begun without one; of it a hash is kept alone. */
export const newResumeToken = (): string => randomBytes(32).toString('base64url');

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

export const isToken = (token: string | null | undefined, hash: string | null): boolean =>
  Boolean(token && hash && timingSafeEqual(Buffer.from(hash), Buffer.from(hashOfToken(token))));
