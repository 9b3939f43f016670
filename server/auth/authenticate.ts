import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { unauthenticated } from '../errors.ts';
import { contextOf } from '../http/request-context.ts';
import { isUuid } from '../ids.ts';
import type { TokenVerifier } from './token-verifier.ts';
import { ANONYMOUS, type Viewer } from './viewer.ts';

/**
 * Authentication is attempted but not required: without a token the request goes on as anonymous.
 * A token that is presented and does not hold is refused all the same (401): who meant to be somebody
 * must not be answered as nobody.
 */
export function optionalAuth(verifier: TokenVerifier): RequestHandler {
  return async (req, res, next) => {
    contextOf(res).viewer = await viewerOfRequest(req.headers, verifier);
    next();
  };
}

/**
 * As `optionalAuth`, but a token that does not hold counts as none. Clients add their token to every request, also to
 * the one that is to replace it because it has expired.
 */
export function forgivingAuth(verifier: TokenVerifier): RequestHandler {
  return async (req, res, next) => {
    contextOf(res).viewer = await viewerOf(req.headers.authorization, verifier).catch(() => ANONYMOUS);
    next();
  };
}

/** A valid token is required: 401 without. */
export function authenticateToken(verifier: TokenVerifier): RequestHandler {
  return async (req, res, next) => {
    const viewer = await viewerOfRequest(req.headers, verifier);
    if (viewer.kind === 'anonymous') throw unauthenticated();
    contextOf(res).viewer = viewer;
    next();
  };
}

/**
 * The sender of a request with these headers. A service may say by `X-On-Behalf-Of` for which user it acts; from anybody
 * else that header means nothing.
 * @throws UNAUTHENTICATED for a token that is not valid
 */
export async function viewerOfRequest(
  { authorization, 'x-on-behalf-of': userId }: IncomingHttpHeaders,
  verifier: TokenVerifier,
): Promise<Viewer> {
  const viewer = await viewerOf(authorization, verifier);
  return viewer.kind === 'service' && typeof userId === 'string' && isUuid(userId)
    ? { ...viewer, onBehalfOf: userId }
    : viewer;
}

/** Who presents this `Authorization` value; anonymous where there is none. @throws UNAUTHENTICATED for one that does not hold. */
export async function viewerOf(authorization: string | undefined, verifier: TokenVerifier): Promise<Viewer> {
  if (!authorization) return ANONYMOUS;
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  if (!token)
    throw unauthenticated('The Authorization header is not understood: expected "Bearer <access token>".');
  return verifier.verify(token);
}
