import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { PlatformError } from '../errors.ts';
import type { RequestContext } from '../http/request-context.ts';

/** The additions to the problem documents of a route whose errors also have the form of another standard. */
export interface ProblemExtension {
  /**
   * The challenge in `WWW-Authenticate` with a 401 (RFC 9110, section 11.6.1) for clients that have sent credentials of its
   * scheme. Others get the usual one: for the scheme `Basic`, a browser would ask its user for a password.
   */
  readonly challenge: string;
  /** The members that `membersOf` returns, for the documentation. */
  readonly shape: z.ZodObject;
  /** The members that the problem document of an error has in addition (RFC 9457, section 3.2). */
  membersOf(error: PlatformError): Readonly<Record<string, string>>;
}

/** Notes a route's additions for the problem documents of a request. To be called before the request is handled. */
export function extendProblems(
  context: RequestContext,
  { problemExtension }: { problemExtension?: ProblemExtension },
  { authorization = '' }: IncomingHttpHeaders,
): void {
  context.problemExtension = problemExtension;
  if (problemExtension && schemeOf(authorization) === schemeOf(problemExtension.challenge))
    context.challenge = problemExtension.challenge;
}

const schemeOf = (credentials: string): string | undefined => credentials.split(' ')[0]?.toLowerCase();
