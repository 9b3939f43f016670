import type { Readable } from 'node:stream';
import { PlatformError } from '../errors.ts';

/** A file that is being read. */
export interface FileContent {
  readonly stream: Readable;
  /** Bytes. */
  readonly length: number;
  /** In the form of the header `ETag`, with its quotes. */
  readonly etag: string;
}

export interface StoredFile {
  readonly key: string;
  readonly storedAt: Date;
}

/**
 * The storage of one service's uploaded files. The platform chooses the keys, never a client. Clients can read the files
 * only through the platform, even if they are in a bucket.
 *
 * A call fails with UPSTREAM_UNAVAILABLE if the storage does not answer, and with INSUFFICIENT_STORAGE (or an error of the
 * file system that becomes this one) if it is full.
 */
export interface FileStorage {
  /** Resolves when the file is durable. A reader gets the whole previous file or the whole new one. */
  put(key: string, bytes: Buffer, contentType: string): Promise<void>;
  /** As `put`, with bounded memory. If the stream fails, nothing is stored. */
  putStream(key: string, stream: Readable, contentType: string): Promise<void>;
  /** Returns undefined if there is no such file. The stream must be read or destroyed. */
  read(key: string): Promise<FileContent | undefined>;
  /** Deletes the file, if there is one. */
  delete(key: string): Promise<void>;
  /**
   * The stored files, those of unfinished writes included, with bounded memory. A bucket begins after the key `after`, in the
   * order of keys; a folder has no order, so it returns all of its files.
   */
  files(after?: string): AsyncIterable<StoredFile>;
  /** Whether `files` returns keys in their order. */
  readonly isOrdered: boolean;
  close(): void;
}

export const storageUnavailable = (cause: unknown): PlatformError =>
  new PlatformError('UPSTREAM_UNAVAILABLE', 'The file storage does not answer now; try again in a moment.', {
    cause,
    retryAfterSeconds: 2,
  });
