import path from 'node:path';
import type { Readable } from 'node:stream';
import { Disk, errors } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { noteOutsideEffect } from '../outside-effects.ts';

/** The storage of uploaded files. The platform chooses the keys, never a client. */
export interface FileStorage {
  put(key: string, bytes: Buffer, contentType: string): Promise<void>;
  /** As `put`, with bounded memory. If the stream fails, part of the file may be stored. */
  putStream(key: string, stream: Readable, contentType: string): Promise<void>;
  /** Returns undefined if there is no such file. */
  read(
    key: string,
  ): Promise<{ stream: Readable; contentType: string; length: number; etag: string } | undefined>;
  delete(key: string): Promise<void>;
}

/** Files of one service on the local disk, under `<dataDir>/files/<service>`. */
export function diskStorage(dataDir: string, service: string): FileStorage {
  const disk = new Disk(
    new FSDriver({ location: path.resolve(dataDir, 'files', service), visibility: 'private' }),
  );
  return {
    put(key, bytes, contentType) {
      noteOutsideEffect();
      return disk.put(key, bytes, { contentType });
    },
    putStream(key, stream, contentType) {
      noteOutsideEffect();
      return disk.putStream(key, stream, { contentType });
    },
    async read(key) {
      try {
        const metadata = await disk.getMetaData(key);
        return {
          stream: await disk.getStream(key),
          contentType: metadata.contentType ?? 'application/octet-stream',
          length: metadata.contentLength,
          etag: metadata.etag,
        };
      } catch (error) {
        if (error instanceof errors.E_CANNOT_GET_METADATA || error instanceof errors.E_CANNOT_READ_FILE)
          return undefined;
        throw error;
      }
    },
    delete(key) {
      noteOutsideEffect();
      return disk.delete(key);
    },
  };
}
