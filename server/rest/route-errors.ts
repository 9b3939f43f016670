import type { ErrorCode } from '../errors.ts';
import type { RestRoute } from './route.ts';

/** The codes of all errors that a route may answer. The OpenAPI document names them. */
export function errorCodesOf(route: RestRoute<never>): ReadonlySet<ErrorCode> {
  return new Set<ErrorCode>([
    // Every route refuses an undeclared query parameter and a malformed Idempotency-Key or If-Match.
    'VALIDATION_FAILED',
    'UNAUTHENTICATED',
    // The request has an undeclared `userId` or `gymId` of another user.
    'FORBIDDEN',
    ...(route.method === 'POST' ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...(route.params ? (['NOT_FOUND'] as const) : []),
    ...(route.versioned ? (['VERSION_CONFLICT'] as const) : []),
    ...(route.body || route.upload || route.consumes
      ? (['REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)
      : []),
    ...(route.module ? (['FEATURE_DISABLED'] as const) : []),
    'RATE_LIMITED',
    'INTERNAL',
    // The database, or another service that the request needs, does not answer.
    'UPSTREAM_UNAVAILABLE',
    'UPSTREAM_TIMEOUT',
    // CONFLICT: a write is about a user whose account was erased in the meantime.
    ...(route.method === 'GET' ? [] : (['CONFLICT', 'SERVER_BUSY', 'INSUFFICIENT_STORAGE'] as const)),
    ...(route.errors ?? []),
  ]);
}
