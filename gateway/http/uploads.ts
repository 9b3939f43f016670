import type { Request, RequestHandler, Response } from 'express';
import processRequest from 'graphql-upload/processRequest.mjs';
import { PlatformError } from '#server/errors.ts';

export interface UploadLimits {
  maxFileBytes: number;
  maxFiles: number;
}

const MAX_FIELD_BYTES = 1_000_000;
/**
 * How much of a refused request is read before the answer, and for how long: some clients do not read an answer while they
 * are still writing the request.
 */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024; // 8 MiB
const MAX_DRAINED_MILLIS = 500;

/**
 * Reads GraphQL multipart requests (graphql-multipart-request-spec). The operation runs as soon as the parts `operations`
 * and `map` have arrived, before the files have. Each file is written to a temporary file and streamed from there to the
 * subgraph, so that it is never in memory as a whole. The temporary file is removed when the response has ended, also after
 * a failure.
 * A request without the CSRF header, and one whose `Content-Length` is too large, is refused before any of it is stored.
 */
export function multipartRequests({ maxFileBytes, maxFiles }: UploadLimits): RequestHandler {
  return async (req, res, next) => {
    if (!req.is('multipart/form-data')) return next();
    if (!req.get('apollo-require-preflight') && !req.get('x-apollo-operation-name')) {
      await drained(req);
      throw new PlatformError(
        'VALIDATION_FAILED',
        'A multipart request needs the header Apollo-Require-Preflight: true.',
      );
    }
    if (Number(req.get('content-length') ?? 0) > maxFileBytes + 4 * MAX_FIELD_BYTES) {
      await drained(req);
      res.set('Connection', 'close'); // the rest is not read
      throw tooLarge(maxFileBytes);
    }
    answerAfterTheLastByte(req, res);
    req.body = await processRequest(req, res, {
      maxFileSize: maxFileBytes,
      maxFiles,
      maxFieldSize: MAX_FIELD_BYTES,
    });
    next();
  };
}

const tooLarge = (maxFileBytes: number) =>
  new PlatformError(
    'PAYLOAD_TOO_LARGE',
    `An upload may have at most ${Math.floor(maxFileBytes / 1024 / 1024)} MiB; send a smaller file.`,
  );

/** Delays the response until the request is read: some clients treat an early response as a broken connection. */
function answerAfterTheLastByte(req: Request, res: Response): void {
  const send = res.send.bind(res);
  res.send = (body: unknown) => {
    if (req.readableEnded || req.destroyed) return send(body);
    let isSent = false;
    const sendOnce = (): void => {
      if (isSent || res.writableEnded) return;
      isSent = true;
      send(body);
    };
    req.once('end', sendOnce).once('close', sendOnce);
    req.resume();
    return res;
  };
}

function drained(req: Request): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const enough = (): void => {
      clearTimeout(timer);
      req.pause();
      resolve();
    };
    const timer = setTimeout(enough, MAX_DRAINED_MILLIS);
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= MAX_DRAINED_BYTES) enough();
    });
    req.once('end', enough).once('error', enough);
  });
}
