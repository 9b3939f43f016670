import express, { type RequestHandler } from 'express';
import { PlatformError } from '../errors.ts';

/** The deepest nesting of objects and lists. No valid input comes near it; recursive code would overflow the stack on much deeper input. */
const MAX_JSON_DEPTH = 100;

/** The largest JSON body. */
export const MAX_JSON_BYTES = 1024 * 1024; // 1 MiB

/** Reads a JSON body of at most 1 MiB. @throws VALIDATION_FAILED beyond a depth of 100 */
export const readJson = (types?: string[]): RequestHandler =>
  express.json({
    limit: MAX_JSON_BYTES,
    ...(types && { type: types }),
    verify: (_req, _res, text) => {
      // express wraps whatever is thrown here in an error of its own, with this type.
      if (isTextTooDeep(text)) throw Object.assign(new Error('too deep'), { type: TOO_DEEP });
    },
  });

/**
 * The same for a body that was read already.
 * @returns undefined for an empty body
 * @throws VALIDATION_FAILED if it is not a JSON object or list, or beyond a depth of 100
 */
export function parseJson(text: string): unknown {
  if (text === '') return undefined;
  if (isTextTooDeep(Buffer.from(text))) throw tooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  if (typeof value !== 'object' || value === null) throw notJson();
  return value;
}

/** The type of the body parser's error. */
export const TOO_DEEP = 'json.too.deep';

export const tooDeep = () =>
  new PlatformError(
    'VALIDATION_FAILED',
    `The JSON has more than ${MAX_JSON_DEPTH} nested objects and lists; send it with less nesting.`,
  );

export const notJson = () =>
  new PlatformError('VALIDATION_FAILED', 'The body is not valid JSON; send a JSON object.', {
    errors: [{ path: '', message: 'expected valid JSON' }],
  });

/** Whether a parsed JSON value is nested too deeply; it stops at the limit. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_JSON_DEPTH; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts only the brackets outside of strings, before anything parses the text. */
function isTextTooDeep(text: Buffer): boolean {
  if (text.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1; // [ {
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1; // ] }
  }
  return false;
}
