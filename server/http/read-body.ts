import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { parseJson, readJson } from './json-body.ts';

/** The bodies that the fast path read before it passed the request on to Express. */
const read = new WeakMap<IncomingMessage, string>();

/** The body as text; undefined if the client aborted the request. The caller has checked `Content-Length`, which Node enforces. */
export const readBody = (req: IncomingMessage): Promise<string | undefined> =>
  new Promise((resolve) => readBytes(req, (bytes) => resolve(bytes?.toString())));

/** As `readBody`, for a body that is passed on unchanged. */
export function readBytes(req: IncomingMessage, done: (bytes: Buffer | undefined) => void): void {
  let first: Buffer | undefined;
  let further: Buffer[] | undefined;
  req.on('data', (chunk: Buffer) => {
    if (!first) first = chunk;
    else (further ??= [first]).push(chunk);
  });
  req.on('end', () => done(further ? Buffer.concat(further) : (first ?? EMPTY)));
  req.on('error', () => done(undefined));
}

const EMPTY = Buffer.alloc(0);

/** Passes a body that was read already on to `jsonBody`. */
export const leaveBody = (req: IncomingMessage, text: string): void => void read.set(req, text);

/** Parses the body, whether Express or the fast path reads it. */
export function jsonBody(): RequestHandler {
  const readByExpress = readJson();
  return (req, res, next) => {
    const text = read.get(req);
    if (text === undefined) return readByExpress(req, res, next);
    req.body = parseJson(text);
    next();
  };
}
