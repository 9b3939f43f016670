import type { Request, RequestHandler } from 'express';
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
    contextOf(res).viewer = onBehalf(req, await viewerOf(req.headers.authorization, verifier));
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
    const viewer = onBehalf(req, await viewerOf(req.headers.authorization, verifier));
    if (viewer.kind === 'anonymous') throw unauthenticated();
    contextOf(res).viewer = viewer;
    next();
  };
}

/** A service may say whose wish it carries out; from anybody else the header means nothing. */
function onBehalf(req: Request, viewer: Viewer): Viewer {
  const userId = req.get('x-on-behalf-of');
  return viewer.kind === 'service' && userId && isUuid(userId) ? { ...viewer, onBehalfOf: userId } : viewer;
}

/** Who presents this `Authorization` value; anonymous where there is none. @throws UNAUTHENTICATED for one that does not hold. */
export async function viewerOf(authorization: string | undefined, verifier: TokenVerifier): Promise<Viewer> {
  if (!authorization) return ANONYMOUS;
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  if (!token)
    throw unauthenticated('The Authorization header is not understood: expected "Bearer <access token>".');
  return verifier.verify(token);
}
