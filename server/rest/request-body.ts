import { promisify } from 'node:util';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { PlatformError } from '../errors.ts';
import { MAX_JSON_BYTES, readJson } from '../http/json-body.ts';
import type { RequestBody } from './exchange.ts';
import { readMultipart } from './multipart.ts';
import type { RestRoute } from './route.ts';

type ReadBody = (req: Request, res: Response) => Promise<RequestBody>;

/** Returns the function that reads the bodies of a route's requests with the parsers of Express. */
export function bodyReaderOf({
  body,
  consumes,
  upload,
  acceptsForm,
}: Pick<RestRoute<never>, 'body' | 'consumes' | 'upload' | 'acceptsForm'>): ReadBody {
  const parser = body && promisify<Request, Response>(acceptsForm ? jsonOrForm : jsonBody);
  return async (req, res) => {
    const isInParts = Boolean(upload) && isMultipart(req);
    if (consumes && !isInParts) checkMediaType(req, consumes, Boolean(upload));
    if (upload && (isInParts || (!upload.optional && !consumes))) {
      const multipart = await readMultipart(req, upload);
      return { value: multipart.fields, multipart };
    }
    if (parser && (!upload || upload.optional)) await parser(req, res);
    return { value: req.body };
  };
}

const isMultipart = (req: Request): boolean => Boolean(req.is('multipart/form-data'));

/** Checks that a streamed body declares a media type that the route accepts; the handler reads its bytes. */
function checkMediaType(req: Request, mediaTypes: readonly string[], isMultipartAccepted: boolean): void {
  if (req.is([...mediaTypes])) return;
  throw unsupported(
    req,
    [...mediaTypes, ...(isMultipartAccepted ? ['multipart/form-data'] : [])].join(' or '),
  );
}

const parseJson = readJson(['application/json', 'application/*+json']);

/** Reads a JSON body. A body without a JSON type is refused: express would ignore it, and its data would be lost. */
const jsonBody: RequestHandler = (req, res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && !req.is(['json', '+json'])) throw unsupported(req, 'application/json');
  parseJson(req, res, next);
};

const parseForm = express.urlencoded({ extended: false, limit: MAX_JSON_BYTES });

const jsonOrForm: RequestHandler = (req, res, next) =>
  req.is('application/x-www-form-urlencoded') ? parseForm(req, res, next) : jsonBody(req, res, next);

const unsupported = (req: Request, expected: string) =>
  new PlatformError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Expected Content-Type: ${expected}, got ${req.headers['content-type'] ?? 'none'}.`,
  );
