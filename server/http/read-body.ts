import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { parseJson, readJson } from './json-body.ts';

/** A body that was read. It is parsed once, also if the fast path passes the request on to Express. */
export class ReadBody {
  readonly text: string;
  private outcome: { value: unknown } | { error: unknown } | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** @throws what `parseJson` throws */
  json(): unknown {
    this.outcome ??= outcomeOf(this.text);
    if ('error' in this.outcome) throw this.outcome.error;
    return this.outcome.value;
  }
}

function outcomeOf(text: string): { value: unknown } | { error: unknown } {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { error };
  }
}

/** The bodies that the fast path read before it passed the request on to Express. */
const read = new WeakMap<IncomingMessage, ReadBody>();

/**
 * Reads the body of a request; undefined if the client aborted the request. The size needs no check here: the calling code has
 * checked `Content-Length`, and Node enforces it.
 */
export const readBody = (req: IncomingMessage): Promise<ReadBody | undefined> =>
  new Promise((resolve) => readBytes(req, (bytes) => resolve(bytes && new ReadBody(textOf(bytes)))));

/** The text of the bytes without a byte order mark, which the parser of Express removes, too. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

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
export const leaveBody = (req: IncomingMessage, body: ReadBody): void => void read.set(req, body);

/** Parses the body, whether Express or the fast path reads it. */
export function jsonBody(): RequestHandler {
  const readByExpress = readJson();
  return (req, res, next) => {
    const body = read.get(req);
    if (!body) return readByExpress(req, res, next);
    req.body = body.json();
    next();
  };
}
