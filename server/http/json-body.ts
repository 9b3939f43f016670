import express, { type RequestHandler } from 'express';
import { PlatformError } from '../errors.ts';

/** The deepest nesting of objects and lists. No valid input comes near it; recursive code would overflow the stack on much deeper input. */
const MAX_JSON_DEPTH = 100;

/** Reads a JSON body of at most 1 MiB. @throws VALIDATION_FAILED beyond a depth of 100 */
export const readJson = (types?: string[]): RequestHandler =>
  express.json({
    limit: '1mb',
    ...(types && { type: types }),
    verify: (_req, _res, text) => {
      // express wraps whatever is thrown here in an error of its own, with this type.
      if (isTextTooDeep(text)) throw Object.assign(new Error('too deep'), { type: TOO_DEEP });
    },
  });

/** The type of the body parser's error. */
export const TOO_DEEP = 'json.too.deep';

export const tooDeep = () =>
  new PlatformError(
    'VALIDATION_FAILED',
    `The JSON has more than ${MAX_JSON_DEPTH} nested objects and lists; send it with less nesting.`,
  );

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
