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
const READ_BEFORE_ANSWER = { bytes: 8 * 1024 * 1024, millis: 500 }; // 8 MiB
/**
 * How much of it is read in all. A connection that is closed with unread bytes is reset, and the client may then lose the
 * answer.
 */
const READ_IN_ALL = { bytes: 64 * 1024 * 1024, millis: 10_000 }; // 64 MiB, 10 s

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
      await discardBody(req);
      throw new PlatformError(
        'VALIDATION_FAILED',
        'A multipart request needs the header Apollo-Require-Preflight: true.',
      );
    }
    if (Number(req.get('content-length') ?? 0) > maxFileBytes + 4 * MAX_FIELD_BYTES) {
      await discardBody(req);
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

/**
 * Reads the body of a refused request without storing it. Resolves when it is time to answer; after that it reads on, and
 * closes the connection of a body that is too long.
 */
function discardBody(req: Request): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const close = (): void => void req.socket.destroy();
    const timers = [
      setTimeout(resolve, READ_BEFORE_ANSWER.millis),
      setTimeout(close, READ_IN_ALL.millis).unref(),
    ];
    const end = (): void => {
      for (const timer of timers) clearTimeout(timer);
      resolve();
    };
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= READ_BEFORE_ANSWER.bytes) resolve();
      if (bytes >= READ_IN_ALL.bytes) close();
    });
    req.once('end', end).once('error', end).once('close', end);
  });
}
