import type { RequestHandler } from 'express';
import { PlatformError } from '../errors.ts';

/** Media types of answers (GraphQL over HTTP), the one for clients that name none first; as Apollo Server writes them. */
const ANSWER_TYPES = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/**
 * Refuses a request whose `Accept` allows no media type of an answer. Apollo Server itself finds out only when it
 * writes the answer, and a mutation has run by then.
 */
export const acceptableAnswer: RequestHandler = (req, _res, next) => {
  if (req.accepts(ANSWER_TYPES)) return next();
  throw new PlatformError(
    'NOT_ACCEPTABLE',
    'Expected an Accept header that allows application/json or application/graphql-response+json; nothing was run.',
  );
};
