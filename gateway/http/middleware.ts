import type { ErrorRequestHandler, RequestHandler } from 'express';
import { PlatformError } from '#server/errors.ts';
import { contextOf } from '#server/http/request-context.ts';
import type { RateState, Caller } from '#server/rest/rate-limit.ts';

/** Media types of answers, the one for clients that name none first. */
const JSON_TYPES = ['application/json', 'application/graphql-response+json'];

/**
 * A browser that opens `/graphql` gets the explorer, with the query of the address filled in and not run. A link must
 * not run anything in the name of whoever follows it.
 */
export const explorerForBrowsers: RequestHandler = (req, res, next) => {
  res.vary('Accept');
  if (req.accepts([...JSON_TYPES, 'text/html']) !== 'text/html') return next();
  const query = req.url.indexOf('?');
  res.redirect(`/explorer${query === -1 ? '' : req.url.slice(query)}`);
};

/**
 * A page of another origin can have a browser send text and forms without asking first (CORS preflight), so a POST has
 * to be JSON, or an upload, which needs a header of its own. A GET needs nothing: it runs queries only, and says who
 * asks by `Authorization`, which a browser never adds by itself.
 */
export const jsonOrUpload: RequestHandler = (req, _res, next) => {
  // The fast lane has read a JSON body already.
  if (req.method !== 'POST' || req.body !== undefined || req.is(['application/json', 'multipart/form-data']))
    return next();
  throw new PlatformError(
    'VALIDATION_FAILED',
    `Expected Content-Type: application/json, got ${req.headers['content-type'] ?? 'none'}.`,
  );
};

/**
 * Counts each operation of a batch; the first one was counted with the request.
 * @param count counts one operation of a caller
 */
export const countBatch =
  (count: (caller: Caller) => Promise<RateState>): RequestHandler =>
  async (req, res, next) => {
    const further = Array.isArray(req.body) ? req.body.length - 1 : 0;
    for (let index = 0; index < further; index += 1) {
      const state = await count(contextOf(res));
      res.set({ RateLimit: state.rateLimit, 'RateLimit-Policy': state.policy });
      if (state.refusal) throw state.refusal;
    }
    next();
  };

/** An error before the execution has the media type that the client asked for, so that it finds the `errors` in it. */
export const negotiatedError: ErrorRequestHandler = (thrown, req, res, next) => {
  if (!res.headersSent) res.type(req.accepts(JSON_TYPES) || 'application/json');
  next(thrown);
};
