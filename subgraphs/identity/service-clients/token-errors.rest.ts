import { z } from 'zod';
import type { PlatformError } from '#server/errors.ts';
import type { ProblemExtension } from '#server/rest/problem-extension.ts';
import { UNSUPPORTED_GRANT_TYPE } from './service-clients.shapes.ts';

const TokenError = z.enum(['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope']);
type TokenError = z.infer<typeof TokenError>;

/** The member `error` of the problem documents of `POST /auth/token`, which OAuth clients read (RFC 6749, section 5.2). */
export const tokenErrors: ProblemExtension = {
  challenge: 'Basic realm="fitness-platform", charset="UTF-8"',
  shape: z.object({
    error: TokenError.optional().meta({
      description: 'The error code of RFC 6749, section 5.2; absent with 429 and 5xx, for which it has none.',
    }),
  }),
  membersOf: (error) => {
    const name = tokenErrorOf(error);
    return { ...(name && { error: name }) };
  },
};

function tokenErrorOf({ code, status, errors }: PlatformError): TokenError | undefined {
  if (code === 'UNAUTHENTICATED') return 'invalid_client';
  if (code === 'RATE_LIMITED' || status >= 500) return undefined;
  const [first] = errors ?? [];
  if (first?.path === 'grant_type' && first.message === UNSUPPORTED_GRANT_TYPE)
    return 'unsupported_grant_type';
  return first?.path === 'scope' ? 'invalid_scope' : 'invalid_request';
}
