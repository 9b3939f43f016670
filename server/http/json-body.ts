import express, { type RequestHandler } from 'express';
import { PlatformError } from '../errors.ts';

/**
 * How deeply objects and lists may be nested. Valid input is much flatter; on much deeper input, recursive code would
 * overflow the stack.
 */
const MAX_JSON_DEPTH = 100;

/** The size of the largest accepted JSON body. */
export const MAX_JSON_BYTES = 1024 * 1024; // 1 MiB

/** Reads a JSON body of at most 1 MiB. @throws VALIDATION_FAILED beyond a depth of 100 */
export const readJson = (types?: string[]): RequestHandler =>
  express.json({
    limit: MAX_JSON_BYTES,
    ...(types && { type: types }),
    verify: (_req, _res, text) => {
      // express wraps this error in another one, which has the same `type`.
      if (isTextTooDeep(text)) throw Object.assign(new Error('too deep'), { type: TOO_DEEP });
    },
  });

/**
 * Parses a JSON body that was read already.
 * @returns undefined for an empty body
 * @throws VALIDATION_FAILED if the text is not a JSON object or list, or is nested more than 100 levels deep
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
  if (typeof value !== 'object' || value === null) throw notAnObject();
  return value;
}

/** The `type` of the body parser's error for a body that is nested too deeply. */
export const TOO_DEEP = 'json.too.deep';

export const tooDeep = () =>
  new PlatformError(
    'VALIDATION_FAILED',
    `The JSON has more than ${MAX_JSON_DEPTH} nested objects and lists; send it with less nesting.`,
  );

const notJson = () =>
  new PlatformError('VALIDATION_FAILED', 'The body is not valid JSON; send a JSON object.', {
    errors: [{ path: '', message: 'expected valid JSON' }],
  });

const notAnObject = () =>
  new PlatformError('VALIDATION_FAILED', 'The body is JSON, but not an object; send a JSON object.', {
    errors: [{ path: '', message: 'expected a JSON object' }],
  });

/** The error for a text that the body parser of Express has refused: it also refuses JSON that is not an object or a list. */
export function unusableJson(text: unknown): PlatformError {
  try {
    JSON.parse(String(text));
  } catch {
    return notJson();
  }
  return notAnObject();
}

/** Whether a parsed JSON value is nested too deeply. Levels beyond the limit are not read. */
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

/** Whether a JSON text is nested too deeply. It only counts the brackets outside of strings, so the text is not parsed. */
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
