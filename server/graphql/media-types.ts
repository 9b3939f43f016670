import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import Negotiator from 'negotiator';
import { PlatformError } from '../errors.ts';

/** Media types of answers (GraphQL over HTTP), as Apollo Server writes them. Clients that accept any get the first. */
export const ANSWER_TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
];

/** The media type of the answer to a request with these headers; undefined if its `Accept` allows none. */
export function answerTypeFor({ accept }: IncomingHttpHeaders): string | undefined {
  if (!accept) return ANSWER_TYPES[0];
  const known = chosen.get(accept);
  if (known !== undefined) return known;
  const type = new Negotiator({ headers: { accept } }).mediaType(ANSWER_TYPES);
  if (type !== undefined && chosen.size < MAX_CHOSEN && accept.length < MAX_CHOSEN_CHARACTERS)
    chosen.set(accept, type);
  return type;
}

/**
 * The media type of an answer that consists of errors only. 503 is always `application/json`: if Apollo Client gets errors as
 * `application/graphql-response+json`, they are the result of the operation, and it does not send the operation again.
 */
export const refusalTypeFor = (headers: IncomingHttpHeaders, status: number): string | undefined =>
  status === 503 ? ANSWER_TYPES[0] : answerTypeFor(headers);

/** The chosen media types by the value of `Accept`: clients send few different values, and reading one takes 4 µs. */
const chosen = new Map<string, string>();
const MAX_CHOSEN = 100;
const MAX_CHOSEN_CHARACTERS = 200;

/**
 * Refuses a request whose `Accept` header allows none of the answer's media types. Apollo Server itself checks this only
 * when it writes the answer, after a mutation has run.
 */
export const acceptableAnswer: RequestHandler = (req, _res, next) => {
  if (answerTypeFor(req.headers)) return next();
  throw new PlatformError(
    'NOT_ACCEPTABLE',
    'Expected an Accept header that allows application/json or application/graphql-response+json; nothing was run.',
  );
};
