import type { ErrorRequestHandler, RequestHandler } from 'express';
import { invalid, PlatformError } from '#server/errors.ts';
import { ANSWER_TYPES, refusalTypeFor } from '#server/graphql/media-types.ts';
import { contextOf } from '#server/http/request-context.ts';
import { keyOf } from '#server/rest/idempotency.ts';
import type { RateCounter } from '#server/rest/rate-limit.ts';

/**
 * Redirects a browser that opens `/graphql` to the explorer, which fills in the query of the URL and does not run it: a
 * link must not run an operation with the rights of the person who follows it.
 */
export const explorerForBrowsers: RequestHandler = (req, res, next) => {
  res.vary('Accept');
  if (req.accepts([...ANSWER_TYPES, 'text/html']) !== 'text/html') return next();
  const query = req.url.indexOf('?');
  res.redirect(`/explorer${query === -1 ? '' : req.url.slice(query)}`);
};

/**
 * CSRF prevention. A page of another origin can make a browser send text and forms without a CORS preflight, so a POST
 * has to be JSON, or an upload, which needs `Apollo-Require-Preflight`. A GET needs neither: it runs queries only, and
 * identifies the caller by `Authorization`, which a browser never adds by itself.
 */
export const jsonOrUpload: RequestHandler = (req, _res, next) => {
  if (req.method !== 'POST' || req.is(['application/json', 'multipart/form-data'])) return next();
  throw new PlatformError(
    'VALIDATION_FAILED',
    `Expected Content-Type: application/json, got ${req.headers['content-type'] ?? 'none'}.`,
  );
};

/** Counts each operation of a batch; the first one was counted with the request. */
export const countBatch =
  (count: RateCounter): RequestHandler =>
  async (req, res, next) => {
    const further = Array.isArray(req.body) ? req.body.length - 1 : 0;
    for (let index = 0; index < further; index += 1) {
      const { headers, refusal } = await count(contextOf(res));
      res.set(headers);
      if (refusal) throw refusal;
    }
    next();
  };

/** Refuses an invalid key, and a key for a batch, because it would be unclear which operation it belongs to. */
export const checkIdempotencyKey: RequestHandler = (req, _res, next) => {
  const header = req.headers['idempotency-key'];
  if (typeof header === 'string') {
    keyOf(header);
    if (Array.isArray(req.body))
      throw invalid(
        'Idempotency-Key',
        'expected none, because the request is a batch; send its operations one by one, each with its own key',
      );
  }
  next();
};

/** Sends errors from before the execution with a media type that the client accepts, so that it reads their `errors`. */
export const negotiatedError: ErrorRequestHandler = (thrown, req, res, next) => {
  const status = thrown instanceof PlatformError ? thrown.status : 500;
  if (!res.headersSent) res.type(refusalTypeFor(req.headers, status) ?? 'application/json');
  next(thrown);
};
