import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, rm, truncate, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { pausableWrite } from '#server/backup/write-pause.ts';

/** The records of a file, and its parts that are not records. */
interface ReadFile {
  records: object[];
  /** Bytes up to the end of the last whole record. */
  length: number;
  /** Bytes after it: lines that a crash has left incomplete, or that are damaged. */
  cutBytes: number;
  /**
   * Lines that do not fit their checksum although they have an end: the disk was damaged, or the file was edited. A write that
   * was interrupted usually leaves a line without an end.
   */
  damagedLines: number;
}

/**
 * A file of JSON records, one a line, each with the CRC-32 of its text: `["1a2b3c4d",{"type":"..."}]`.
 * It only grows at its end, or is replaced as a whole by a rename; in the archive, lines are also overwritten. So after a
 * crash at any byte everything before the last write is there, and the incomplete part of that write is recognised and cut
 * off.
 */
export const recordFile = {
  /** Never throws because of the file's content. A missing file counts as empty. */
  async read(file: string): Promise<ReadFile> {
    await rm(temporary(file), { force: true }); // left by a replacement that was interrupted before its rename
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    return parse(bytes);
  },

  /** Resolves to the number of appended bytes once they are on disk; if the file is new, its name as well. */
  async append(file: string, records: readonly object[], isNew: boolean): Promise<number> {
    const bytes = encode(records);
    await pausableWrite(async () => {
      if (isNew) await mkdir(path.dirname(file), { recursive: true });
      await withFile(file, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, async (handle) => {
        await writeAll(handle, bytes);
        await handle.datasync();
      });
    });
    if (isNew) await syncFolders(file);
    return bytes.length;
  },

  /** Replaces the whole file, or leaves it as it is if an error is thrown. Resolves to the new length in bytes. */
  async replace(file: string, records: readonly object[]): Promise<number> {
    const bytes = encode(records);
    await withFile(
      temporary(file),
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
      async (handle) => {
        await writeAll(handle, bytes);
        await handle.sync();
      },
    );
    await pausableWrite(() => rename(temporary(file), file));
    await syncFolder(path.dirname(file));
    return bytes.length;
  },

  /** Removes what a failed append may have left after `length`. */
  async cut(file: string, length: number): Promise<void> {
    await pausableWrite(() => truncate(file, length)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  },

  /** Overwrites the file from `offset` on; its length stays the same. */
  async overwrite(file: string, offset: number, bytes: Buffer): Promise<void> {
    await pausableWrite(() =>
      withFile(file, constants.O_WRONLY, async (handle) => {
        await writeAll(handle, bytes, offset);
        await handle.datasync();
      }),
    );
  },

  /** Removes the file, if there is one. */
  async remove(file: string): Promise<void> {
    await pausableWrite(() => rm(file, { force: true }));
  },
};

export function encode(records: readonly object[]): Buffer {
  return Buffer.from(
    records
      .map((record) => {
        const text = JSON.stringify(record);
        return `["${checksum(text)}",${text}]\n`;
      })
      .join(''),
  );
}

export function parse(bytes: Buffer): ReadFile {
  const records: object[] = [];
  let length = 0;
  let damagedLines = 0;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    const record = end < 0 ? undefined : recordOf(bytes.toString('utf8', start, end));
    const next = end < 0 ? bytes.length : end + 1;
    if (record) {
      records.push(record);
      length = next;
    } else if (end >= 0) damagedLines += 1;
    start = next;
  }
  return { records, length, cutBytes: bytes.length - length, damagedLines };
}

function recordOf(line: string): object | undefined {
  const text = line.slice(12, -1);
  if (line.slice(0, 12) !== `["${checksum(text)}",` || !line.endsWith(']')) return undefined;
  return JSON.parse(text) as object;
}

const NEWLINE = 0x0a;
const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
const temporary = (file: string): string => `${file}.new`;

async function withFile(
  file: string,
  flags: number,
  use: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}

/** @param position the offset in the file; undefined: after what was written before */
async function writeAll(handle: FileHandle, bytes: Buffer, position?: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const at = position === undefined ? null : position + written;
    written += (await handle.write(bytes, written, bytes.length - written, at)).bytesWritten;
  }
}

/** The name of a new file is on disk only after its folder was synced; the same is true of a new folder. */
async function syncFolders(file: string): Promise<void> {
  const shard = path.dirname(file);
  for (const folder of [shard, path.dirname(shard), path.dirname(path.dirname(shard))])
    await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  await withFile(folder, constants.O_RDONLY, (handle) => handle.sync());
}
