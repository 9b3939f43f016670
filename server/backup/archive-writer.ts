import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { DIGEST_LENGTH, END, MANIFEST, START, START_TEXT } from './archive-format.ts';
import type { Manifest } from './manifest.ts';
import { Measure, type Measured } from './measure.ts';

/** Level 1 is three times as fast as the default, for files that are a tenth larger. */
const COMPRESSION_LEVEL = 1;

/**
 * Writes a backup to a file with another name, and renames the file when it is complete and on disk, so that a file with the
 * backup's name is always whole. Only the owner may read the file, because it contains passwords' hashes and keys.
 */
export class ArchiveWriter {
  private readonly zip = new yazl.ZipFile();
  private readonly file: string;
  private readonly unfinished: string;
  private readonly digest = new DigestOfAllButTheEnd();
  private readonly writing: Promise<void>;
  /** Rejects as soon as the file cannot be written, for example because the disk is full. */
  private readonly failed: Promise<never>;

  constructor(file: string) {
    this.file = file;
    this.unfinished = `${file}.${randomBytes(4).toString('hex')}.part`;
    const target = createWriteStream(this.unfinished, { flags: 'wx', mode: 0o600 });
    // yazl declares the older interface of streams, but its output is a PassThrough of Node.
    this.writing = pipeline(this.zip.outputStream as Readable, this.digest, target);
    this.failed = this.writing.then(() => new Promise<never>(() => undefined));
    this.failed.catch(() => undefined); // not an unhandled rejection: `add` or `finish` throws the error
    this.zip.addBuffer(Buffer.from(START_TEXT), START, { compress: false });
  }

  /** Adds a part, and returns the size and digest of its content. */
  async add(name: string, content: Readable, { compress = true } = {}): Promise<Measured> {
    const measure = new Measure();
    this.zip.addReadStream(measure, name, compress ? { compressionLevel: COMPRESSION_LEVEL } : { compress });
    await Promise.race([pipeline(content, measure), this.failed]);
    return measure.result();
  }

  /** Adds the manifest, and gives the complete file its name. Resolves to its size in bytes. */
  async finish(manifest: Manifest): Promise<number> {
    this.zip.addBuffer(Buffer.from(JSON.stringify(manifest)), MANIFEST);
    this.zip.end({ comment: END + '0'.repeat(DIGEST_LENGTH), forceZip64Format: false });
    await this.writing;
    const size = await this.complete();
    await rename(this.unfinished, this.file);
    await syncFolder(path.dirname(this.file));
    return size;
  }

  /** Writes the digest to its place, and everything to the disk. Resolves to the size of the file in bytes. */
  private async complete(): Promise<number> {
    const handle = await open(this.unfinished, 'r+');
    try {
      const { size } = await handle.stat();
      await handle.write(this.digest.result(), size - DIGEST_LENGTH);
      await handle.sync();
      return size;
    } finally {
      await handle.close();
    }
  }

  /** Removes the unfinished file. */
  async abandon(): Promise<void> {
    this.digest.destroy();
    await this.writing.catch(() => undefined);
    await rm(this.unfinished, { force: true });
  }
}

/** Passes bytes on, and computes the digest of all but the last ones, which will contain the digest. */
class DigestOfAllButTheEnd extends Transform {
  private readonly hash = createHash('sha256');
  private last = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const all = Buffer.concat([this.last, chunk]);
    const at = Math.max(0, all.length - DIGEST_LENGTH);
    this.hash.update(all.subarray(0, at));
    this.last = all.subarray(at);
    done(null, chunk);
  }

  result(): string {
    return this.hash.digest('hex');
  }
}

/** A new name is durable only after its folder was synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
