import type { Request, RequestHandler, Response } from 'express';
import processRequest from 'graphql-upload/processRequest.mjs';
import { PlatformError } from '#server/errors.ts';

export interface UploadLimits {
  maxFileBytes: number;
  maxFiles: number;
}

const MAX_FIELD_BYTES = 1_000_000;
/** What is read of a request that is refused, so that its sender comes to read the refusal. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024; // 8 MiB
const MAX_DRAINED_MILLIS = 500;

/**
 * Takes the GraphQL multipart request (graphql-multipart-request-spec). The operation runs as soon as it and its first
 * file begin to arrive; files go through a temporary file to the subgraph, never whole through memory, and are removed
 * with the request, however it ends. What a browser's form could send (CSRF) and what is too long by its own word is
 * refused before anything of it is kept.
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

/** A client that is still writing takes an early answer for a broken connection. */
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
