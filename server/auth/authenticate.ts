import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { unauthenticated } from '../errors.ts';
import { contextOf } from '../http/request-context.ts';
import { isUuid, lowerCaseId } from '../ids.ts';
import type { TokenVerifier } from './token-verifier.ts';
import { ANONYMOUS, type Viewer } from './viewer.ts';

/** Decides whose request it is. @throws UNAUTHENTICATED if the request may not continue */
export type Authentication = (headers: IncomingHttpHeaders, verifier: TokenVerifier) => Promise<Viewer>;

/**
 * Authentication is optional: a request without a token continues as anonymous. A token that is sent but not valid is
 * refused with 401, because a caller who expects their own data must not get the answer for anonymous callers.
 */
export const optionalAuth: Authentication = (headers, verifier) => viewerOfRequest(headers, verifier);

/**
 * As `optionalAuth`, but a token that is invalid, or that cannot be verified now, counts as none, and `X-On-Behalf-Of` is not
 * read. Clients add their token to every request, even to the request that replaces an expired token.
 */
export const authIgnoringInvalidToken: Authentication = ({ authorization }, verifier) =>
  viewerOf(authorization, verifier).catch(() => ANONYMOUS);

/** Answers 401 to a request without a valid token. */
export const authenticateToken: Authentication = async (headers, verifier) => {
  const viewer = await viewerOfRequest(headers, verifier);
  if (viewer.kind === 'anonymous') throw unauthenticated();
  return viewer;
};

/** An authentication as middleware of Express. */
export const authenticated =
  (authentication: Authentication, verifier: TokenVerifier): RequestHandler =>
  async (req, res, next) => {
    contextOf(res).viewer = await authentication(req.headers, verifier);
    next();
  };

/**
 * The sender of a request with these headers. A service names the user for whom it acts in `X-On-Behalf-Of`; the header
 * is ignored if any other caller sends it.
 * @throws UNAUTHENTICATED for a token that is not valid
 */
export async function viewerOfRequest(
  { authorization, 'x-on-behalf-of': userId }: IncomingHttpHeaders,
  verifier: TokenVerifier,
): Promise<Viewer> {
  const viewer = await viewerOf(authorization, verifier);
  return viewer.kind === 'service' && typeof userId === 'string' && isUuid(userId)
    ? { ...viewer, onBehalfOf: lowerCaseId(userId) }
    : viewer;
}

/** The owner of the token in this `Authorization` value; anonymous without one. @throws UNAUTHENTICATED for an invalid token */
export async function viewerOf(authorization: string | undefined, verifier: TokenVerifier): Promise<Viewer> {
  if (!authorization) return ANONYMOUS;
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  if (!token)
    throw unauthenticated('The Authorization header is malformed: expected "Bearer <access token>".');
  return verifier.verify(token);
}
