import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

export interface Measured {
  /** Lowercase hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** Line ends, which are the rows of a table in the text format of COPY. */
  readonly lines: number;
}

const NEWLINE = 0x0a;

/** Passes bytes on and measures them. */
export class Measure extends Transform {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private lines = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.hash.update(chunk);
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.lines += 1;
    done(null, chunk);
  }

  /** Call it once, after the last byte. */
  result(): Measured {
    return { sha256: this.hash.digest('hex'), bytes: this.bytes, lines: this.lines };
  }
}
