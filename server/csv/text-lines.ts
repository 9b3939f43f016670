import { isAscii, isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { PlatformError } from '../errors.ts';

export const ENCODINGS = ['UTF_8', 'UTF_16LE', 'UTF_16BE', 'WINDOWS_1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** One physical line. `problem` is the reason why it cannot be read. */
export type TextLine =
  | { number: number; text: string; end: string; problem?: undefined }
  | { number: number; problem: string };

interface TextOptions {
  maxBytes: number;
  /** A longer line is a problem, and is not kept in memory. */
  maxLineCharacters: number;
  /** Undefined: detected from the bytes. */
  encoding: Encoding | undefined;
  onEncoding(encoding: Encoding): void;
}

/**
 * The lines of a text file in bounded memory. An invalid byte or a NUL makes only its own line a problem.
 * @throws PAYLOAD_TOO_LARGE beyond `maxBytes`; the error of the stream, after which its incomplete last line is not
 * yielded
 */
export async function* textLines(stream: Readable, options: TextOptions): AsyncGenerator<TextLine> {
  const chunks = boundedChunks(stream, options.maxBytes);
  const start = await firstBytes(chunks);
  const wide = options.encoding ?? wideEncodingOf(start);
  const all = withStart(start, chunks);
  if (wide === 'UTF_16LE' || wide === 'UTF_16BE') {
    options.onEncoding(wide);
    yield* wideLines(all, wide, options);
  } else yield* narrowLines(all, options);
}

/** The bytes of a file. @throws PAYLOAD_TOO_LARGE beyond `maxBytes` */
export async function* boundedChunks(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  // The request stays open if this generator ends early, because the client needs the connection for the answer.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    bytes += buffer.length;
    if (bytes > maxBytes)
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `A file may have at most ${maxBytes / 1024 / 1024} MiB; send it in parts.`,
      );
    yield buffer;
    // If the whole file has arrived already, reading it would otherwise let no other request run until its end.
    await setImmediate();
  }
}

const SAMPLE_BYTES = 256; // bytes

/** At least 256 bytes from the beginning, by which its format is detected; fewer only if the file is shorter. */
export async function firstBytes(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < SAMPLE_BYTES) {
    const next = await chunks.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  return start;
}

/** All chunks again, after `firstBytes` has read the first ones. */
export async function* withStart(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  yield* rest;
}

/** UTF-16 by its byte order mark, else by zero bytes: in Latin text every other byte is zero. */
function wideEncodingOf(start: Buffer): 'UTF_16LE' | 'UTF_16BE' | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'UTF_16LE';
  if (start[0] === 0xfe && start[1] === 0xff) return 'UTF_16BE';
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = start.length / 2;
  if (odd > half * 0.6 && even < half * 0.1) return 'UTF_16LE';
  if (even > half * 0.6 && odd < half * 0.1) return 'UTF_16BE';
  return undefined;
}

const tooLong = (most: number) => `the line is longer than ${most} characters; a quote may not be closed`;
const BOM = '\uFEFF';

async function* wideLines(
  chunks: AsyncIterable<Buffer>,
  encoding: 'UTF_16LE' | 'UTF_16BE',
  { maxLineCharacters }: TextOptions,
): AsyncGenerator<TextLine> {
  const decoder = new TextDecoder(encoding === 'UTF_16LE' ? 'utf-16le' : 'utf-16be');
  const splitter = new LineSplitter<string>(
    {
      empty: '',
      concat: (one, other) => one + other,
      indexOf: (text, character, from) => text.indexOf(character, from),
      slice: (text, from, to) => text.slice(from, to),
    },
    maxLineCharacters,
  );
  let number = 0;
  const lineOf = ({ content, end }: RawLine<string>): TextLine => {
    number += 1;
    if (content === undefined) return { number, problem: tooLong(maxLineCharacters) };
    // The decoder writes U+FFFD for bytes that are no UTF-16.
    return content.includes('\uFFFD')
      ? { number, problem: 'the line is not UTF-16' }
      : checked(number, content, end);
  };
  for await (const chunk of chunks) {
    for (const line of splitter.push(decoder.decode(chunk, { stream: true }))) yield lineOf(line);
  }
  for (const line of splitter.push(decoder.decode())) yield lineOf(line);
  for (const line of splitter.end()) yield lineOf(line);
}

const MAX_HELD_LINES = 2_000;
const MAX_HELD_BYTES = 512 * 1024; // 512 KiB

/**
 * Lines of UTF-8 or Windows-1252. ASCII is valid in both. From the first byte that is not ASCII, lines are kept until there
 * are enough to detect the encoding: text in one of the two is hardly ever valid in the other.
 */
async function* narrowLines(
  chunks: AsyncIterable<Buffer>,
  { maxLineCharacters, encoding: given, onEncoding }: TextOptions,
): AsyncGenerator<TextLine> {
  const splitter = new LineSplitter<Buffer>(
    {
      empty: Buffer.alloc(0),
      concat: (one, other) => (one.length === 0 ? other : Buffer.concat([one, other])),
      indexOf: (bytes, character, from) => bytes.indexOf(character, from),
      slice: (bytes, from, to) => bytes.subarray(from, to),
    },
    maxLineCharacters,
  );
  let number = 0;
  let encoding = given as 'UTF_8' | 'WINDOWS_1252' | undefined;
  let held: RawLine<Buffer>[] = [];
  let heldBytes = 0;
  const lineOf = ({ content, end }: RawLine<Buffer>): TextLine => {
    number += 1;
    if (content === undefined) return { number, problem: tooLong(maxLineCharacters) };
    return decoded(number, content, end, encoding ?? 'UTF_8');
  };
  const release = (): TextLine[] => {
    encoding ??= narrowEncodingOf(held);
    const lines = held.map(lineOf);
    held = [];
    return lines;
  };
  const taken = (lines: readonly RawLine<Buffer>[]): TextLine[] =>
    lines.flatMap((line) => {
      const mustWait =
        encoding === undefined && (held.length > 0 || !isAscii(line.content ?? Buffer.alloc(0)));
      if (!mustWait) return [lineOf(line)];
      held.push(line);
      heldBytes += line.content?.length ?? 0;
      return held.length < MAX_HELD_LINES && heldBytes < MAX_HELD_BYTES ? [] : release();
    });
  for await (const chunk of chunks) yield* taken(splitter.push(chunk));
  yield* taken(splitter.end());
  yield* release();
  onEncoding(encoding ?? 'UTF_8');
}

function narrowEncodingOf(lines: readonly RawLine<Buffer>[]): 'UTF_8' | 'WINDOWS_1252' {
  let utf8 = 0;
  let windows = 0;
  for (const { content } of lines) {
    if (content === undefined || isAscii(content)) continue;
    if (isUtf8(content)) utf8 += 1;
    else if (windows1252(content) !== undefined) windows += 1;
  }
  return windows > utf8 ? 'WINDOWS_1252' : 'UTF_8';
}

function decoded(number: number, bytes: Buffer, end: string, encoding: 'UTF_8' | 'WINDOWS_1252'): TextLine {
  if (encoding === 'UTF_8' || isAscii(bytes))
    return isUtf8(bytes)
      ? checked(number, bytes.toString('utf8'), end)
      : { number, problem: 'the line contains bytes that are not UTF-8' };
  const text = windows1252(bytes);
  return text === undefined
    ? { number, problem: 'the line contains bytes that are not text in Windows-1252' }
    : checked(number, text, end);
}

const WINDOWS_1252 = new TextDecoder('windows-1252');
/** The five bytes without a character, and ÿ (0xFF), which is very rare in words and frequent in broken files. */
const NO_CHARACTER = /[\u0081\u008D\u008F\u0090\u009D\u00FF]/;
/** A sign of UTF-8 that was read as Windows-1252: a byte of a character becomes a capital letter in the middle of a word. */
const CAPITAL_IN_A_WORD = /\p{Ll}[À-ÖØ-Þ]/u;

function windows1252(bytes: Buffer): string | undefined {
  const text = WINDOWS_1252.decode(bytes);
  return NO_CHARACTER.test(text) || CAPITAL_IN_A_WORD.test(text) ? undefined : text;
}

function checked(number: number, text: string, end: string): TextLine {
  const content = number === 1 && text.startsWith(BOM) ? text.slice(1) : text;
  // PostgreSQL cannot store a text with a NUL.
  return content.includes('\0')
    ? { number, problem: 'the line contains a NUL character' }
    : { number, text: content, end };
}

interface RawLine<Content> {
  /** Undefined: the line is too long. */
  content: Content | undefined;
  end: string;
}

interface Pieces<Content> {
  empty: Content;
  concat(one: Content, other: Content): Content;
  indexOf(content: Content, character: string, from: number): number;
  slice(content: Content, from: number, to: number): Content;
}

/** Splits pieces of a text at LF, CR LF and CR. It keeps nothing of a line that is too long. */
class LineSplitter<Content extends { length: number }> {
  private readonly pieces: Pieces<Content>;
  private readonly maxLength: number;
  private pending: Content;
  private isTooLong = false;
  private endedByReturn = false;

  constructor(pieces: Pieces<Content>, maxLength: number) {
    this.pieces = pieces;
    this.maxLength = maxLength;
    this.pending = pieces.empty;
  }

  push(piece: Content): RawLine<Content>[] {
    const lines: RawLine<Content>[] = [];
    let from = 0;
    let nextReturn = this.pieces.indexOf(piece, '\r', 0);
    let nextFeed = this.pieces.indexOf(piece, '\n', 0);
    // CR at the end of one piece and LF at the start of the next are one line end
    if (this.endedByReturn && piece.length > 0) {
      if (nextFeed === 0) {
        from = 1;
        nextFeed = this.pieces.indexOf(piece, '\n', 1);
      }
      this.endedByReturn = false;
    }
    while (nextReturn >= 0 || nextFeed >= 0) {
      const isReturn = nextReturn >= 0 && (nextFeed < 0 || nextReturn < nextFeed);
      const at = isReturn ? nextReturn : nextFeed;
      const isPair = isReturn && nextFeed === at + 1;
      lines.push(this.line(this.pieces.slice(piece, from, at), isPair ? '\r\n' : isReturn ? '\r' : '\n'));
      from = at + (isPair ? 2 : 1);
      if (isReturn && !isPair && from === piece.length) this.endedByReturn = true;
      if (isReturn) nextReturn = this.pieces.indexOf(piece, '\r', from);
      if (!isReturn || isPair) nextFeed = this.pieces.indexOf(piece, '\n', from);
    }
    this.keep(this.pieces.slice(piece, from, piece.length));
    return lines;
  }

  end(): RawLine<Content>[] {
    return this.pending.length > 0 || this.isTooLong ? [this.line(this.pieces.empty, '')] : [];
  }

  private line(last: Content, end: string): RawLine<Content> {
    this.keep(last);
    const content = this.isTooLong ? undefined : this.pending;
    this.pending = this.pieces.empty;
    this.isTooLong = false;
    return { content, end };
  }

  private keep(part: Content): void {
    if (this.pending.length + part.length > this.maxLength) this.isTooLong = true;
    this.pending = this.isTooLong ? this.pieces.empty : this.pieces.concat(this.pending, part);
  }
}
