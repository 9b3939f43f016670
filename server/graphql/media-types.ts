import type { RequestHandler } from 'express';
import { PlatformError } from '../errors.ts';

/** Media types of answers (GraphQL over HTTP), in Apollo Server's spelling. The first is for clients that accept any. */
const ANSWER_TYPES = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/**
 * Refuses a request whose `Accept` header allows none of the answer's media types. Apollo Server itself checks this only
 * when it writes the answer, after a mutation has run.
 */
export const acceptableAnswer: RequestHandler = (req, _res, next) => {
  if (req.accepts(ANSWER_TYPES)) return next();
  throw new PlatformError(
    'NOT_ACCEPTABLE',
    'Expected an Accept header that allows application/json or application/graphql-response+json; nothing was run.',
  );
};
