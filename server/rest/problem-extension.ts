import type { z } from 'zod';
import type { PlatformError } from '../errors.ts';

/** The additions to the problem documents of a route whose errors also have the form of another standard. */
export interface ProblemExtension {
  /** The challenge in `WWW-Authenticate` with a 401 (RFC 9110, section 11.6.1). */
  readonly challenge: string;
  /** The members that `membersOf` returns, for the documentation. */
  readonly shape: z.ZodObject;
  /** The members that the problem document of an error has in addition (RFC 9457, section 3.2). */
  membersOf(error: PlatformError): Readonly<Record<string, string>>;
}
