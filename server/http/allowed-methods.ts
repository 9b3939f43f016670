import type { Express, RequestHandler } from 'express';
import { PlatformError } from '../errors.ts';

/** Serves GET and HEAD at a path that is not a declared route: a page, a document, or a check of the server. */
export function mountPage(app: Express, path: string, handler: RequestHandler): void {
  app.get(path, handler);
  app.all(path, otherMethods(['GET']));
}

/**
 * Answers the requests with other methods than the served ones: 204 to OPTIONS, 405 to the rest, both with the allowed
 * methods (RFC 9110, sections 9.3.7 and 15.5.6). The preflight requests of browsers are answered before.
 */
export function otherMethods(served: readonly string[]): RequestHandler {
  const allow = [...served, ...(served.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  return (req, res) => {
    if (req.method === 'OPTIONS') return void res.status(204).set('Allow', allow.join(', ')).end();
    throw new PlatformError(
      'METHOD_NOT_ALLOWED',
      `${req.method} is not supported at this path; allowed: ${allow.join(', ')}.`,
      { allow },
    );
  };
}
