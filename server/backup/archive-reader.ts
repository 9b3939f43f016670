import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { z } from 'zod';
import { StartError } from '../start-error.ts';
import { DIGEST_LENGTH, END, MANIFEST, START } from './archive-format.ts';
import { FORMAT, manifestSchema, type Manifest } from './manifest.ts';

/** An open backup. Its digest was checked, so no byte has changed since it was written. */
export interface Archive {
  readonly manifest: Manifest;
  /** The content of a part. @throws Error if there is no such part */
  part(name: string): Promise<Readable>;
  close(): void;
}

/** A local file header of ZIP: a signature, and the name after 30 bytes. */
const ZIP_SIGNATURE = Buffer.from('PK\u0003\u0004');
const NAME_OFFSET = 30;

/**
 * Opens a backup after a check of all of its bytes.
 * @throws StartError for a file that is foreign, incomplete, changed, or of a newer version
 */
export async function openArchive(file: string): Promise<Archive> {
  await checkBytes(file);
  const zip = await yauzl.openPromise(file, { autoClose: false });
  try {
    const entries = new Map<string, yauzl.Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const part = async (name: string): Promise<Readable> => {
      const entry = entries.get(name);
      if (!entry) throw new StartError(`${file} has no part "${name}". ${USE_ANOTHER}`);
      return zip.openReadStreamPromise(entry);
    };
    const manifest = manifestOf(file, await buffer(await part(MANIFEST)));
    return { manifest, part, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function checkBytes(file: string): Promise<void> {
  const { start, end, size } = await edgesOf(file);
  const isOurs =
    start.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE) &&
    start.toString('latin1', NAME_OFFSET) === START;
  if (!isOurs)
    throw new StartError(
      `${file} is not a backup of this platform. Name a file that "npm start -- backup" has written.`,
    );
  const [, digest] = new RegExp(`^${END}([0-9a-f]{${DIGEST_LENGTH}})$`).exec(end.toString('latin1')) ?? [];
  if (digest === undefined)
    throw new StartError(`${file} is incomplete: its end is missing (it has ${size} bytes). ${USE_ANOTHER}`);
  if (digest !== (await digestOf(file, size - DIGEST_LENGTH)))
    throw new StartError(`${file} was changed after it had been written, or is damaged. ${USE_ANOTHER}`);
}

/** The first and the last bytes. */
async function edgesOf(file: string): Promise<{ start: Buffer; end: Buffer; size: number }> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new StartError(`The backup ${file} cannot be read (${cause.code}). Check its path and rights.`, {
      cause,
    });
  });
  try {
    const { size } = await handle.stat();
    const read = async (length: number, position: number) => {
      const { buffer: bytes, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
      return bytes.subarray(0, bytesRead);
    };
    const endLength = END.length + DIGEST_LENGTH;
    return {
      start: await read(NAME_OFFSET + START.length, 0),
      end: await read(endLength, Math.max(0, size - endLength)),
      size,
    };
  } catch (cause) {
    throw new StartError(`${file} is not a file that can be read.`, { cause });
  } finally {
    await handle.close();
  }
}

async function digestOf(file: string, length: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { end: length - 1, highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function manifestOf(file: string, bytes: Buffer): Manifest {
  const read = <Shape extends z.ZodType>(schema: Shape): z.output<Shape> => {
    const { success, data, error } = schema.safeParse(content);
    if (success) return data;
    const [problem] = error.issues;
    throw new StartError(
      `${file} has a manifest that is not valid (${problem?.path.join('.')}: ${problem?.message}). ${USE_ANOTHER}`,
    );
  };
  const content: unknown = JSON.parse(bytes.toString());
  const { format, platform } = read(versionsSchema);
  if (format > FORMAT)
    throw new StartError(
      `${file} was written by a newer version of the platform (${platform}, format ${format}; this version reads up to ${FORMAT}). ` +
        'Restore it with that version or a later one.',
    );
  return read(manifestSchema);
}

/** What every version of the format has. */
const versionsSchema = z.object({ format: z.int(), platform: z.string() });

const USE_ANOTHER = 'Copy it again from where it is kept, or restore another backup. Nothing was changed.';
