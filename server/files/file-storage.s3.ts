import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { PlatformError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { StartError } from '../start-error.ts';
import { streamOf } from '../streams.ts';
import { storageUnavailable, type FileContent, type FileStorage, type StoredFile } from './file-storage.ts';
import { isKey, type FilesPlace } from './files-url.ts';

export type S3Place = Extract<FilesPlace, { kind: 's3' }>;

const ATTEMPTS = 2; // of one request, if the store does not answer or is too busy
const PART_BYTES = 5 * 1024 * 1024; // 5 MiB, the smallest part of a multipart upload; each `putStream` keeps one in memory
const CONNECTIONS = 50; // further requests wait within their time limit

/**
 * Files in a bucket of Amazon S3 or a compatible store, below `<prefix>/<service>/`. Credentials come from the standard
 * variables and roles of AWS. It uses the SDK itself, because flydrive's driver makes two requests for each read, and S3
 * refuses its uploads of streams of unknown length.
 *
 * Objects get no ACL, so that they are as private as their bucket.
 */
export async function s3Storage(place: S3Place, service: string, log: Logger): Promise<FileStorage> {
  const client = clientFor(place);
  try {
    await checkBucket(client, place, log);
  } catch (error) {
    client.destroy();
    throw error;
  }
  return new S3Storage(client, place, [...(place.prefix ? [place.prefix] : []), service, ''].join('/'));
}

class S3Storage implements FileStorage {
  readonly isOrdered = true;
  private readonly client: S3Client;
  private readonly place: S3Place;
  /** The beginning of this service's keys, with a slash at its end. */
  private readonly root: string;

  constructor(client: S3Client, place: S3Place, root: string) {
    this.client = client;
    this.place = place;
    this.root = root;
  }

  async put(key: string, bytes: Buffer, contentType: string): Promise<void> {
    await this.send(new PutObjectCommand({ ...this.at(key), Body: bytes, ContentType: contentType }));
  }

  async putStream(key: string, stream: Readable, contentType: string): Promise<void> {
    const upload = new Upload({
      client: this.client,
      params: { ...this.at(key), Body: stream, ContentType: contentType },
      queueSize: 1, // parts in memory
      partSize: PART_BYTES,
      leavePartsOnError: true, // `discardParts` removes them: a failure to do so must not hide why the upload failed
    });
    try {
      await upload.done();
    } catch (error) {
      stream.destroy();
      await this.discardParts(key, upload.uploadId);
      // If the stream itself failed, its error is the cause. An AbortError is not: with it the upload ends a stream that it no
      // longer needs.
      const { errored } = stream;
      throw errored && errored.name !== 'AbortError' ? errored : refusalOf(error);
    }
  }

  /** Removes the parts of an upload that failed. If the store does not answer, its own rules for incomplete uploads remove them. */
  private async discardParts(key: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined) return;
    const parts = new AbortMultipartUploadCommand({ ...this.at(key), UploadId: uploadId });
    await this.client.send(parts).catch(() => undefined);
  }

  async read(key: string): Promise<FileContent | undefined> {
    const found = await this.send(new GetObjectCommand(this.at(key))).catch((error: Error) => {
      if (!isAbsent(error.cause)) throw error;
    });
    if (!found) return undefined;
    const body = found.Body as Readable; // in Node; the SDK also declares the types of browsers
    const stream = streamOf(chunksOf(body, this.place.timeoutMillis), [], { objectMode: false });
    // A generator that has not begun to run would not close the connection itself.
    stream.once('close', () => body.destroy());
    return { stream, length: found.ContentLength ?? 0, etag: found.ETag ?? '""' };
  }

  async delete(key: string): Promise<void> {
    await this.send(new DeleteObjectCommand(this.at(key)));
  }

  async *files(after?: string): AsyncGenerator<StoredFile> {
    let from: { StartAfter?: string; ContinuationToken?: string } = after
      ? { StartAfter: this.root + after }
      : {};
    for (;;) {
      const page = await this.send(
        new ListObjectsV2Command({ Bucket: this.place.bucket, Prefix: this.root, ...from }),
      );
      for (const { Key, LastModified } of page.Contents ?? [])
        if (Key && LastModified) yield { key: Key.slice(this.root.length), storedAt: LastModified };
      if (!page.NextContinuationToken) return;
      from = { ContinuationToken: page.NextContinuationToken };
    }
  }

  close(): void {
    this.client.destroy();
  }

  /** As the client's `send`, with errors of the platform, so that a caller gets a 503 or 507. The cast keeps the overloads of `send`. */
  private readonly send: S3Client['send'] = (async (command: Parameters<S3Client['send']>[0]) => {
    try {
      return await this.client.send(command);
    } catch (error) {
      throw refusalOf(error);
    }
  }) as S3Client['send'];

  private at(key: string): { Bucket: string; Key: string } {
    if (!isKey(key)) throw new Error(`not a key of a file: ${key}`);
    return { Bucket: this.place.bucket, Key: this.root + key };
  }
}

const clientFor = ({ region, endpoint, forcePathStyle, timeoutMillis }: S3Place): S3Client =>
  new S3Client({
    ...(region && { region }),
    // Compatible stores ignore the region, but the SDK refuses to sign without one.
    ...(endpoint && { endpoint, region: region ?? process.env.AWS_REGION ?? 'us-east-1' }),
    // The SDK adds checksums to those of TLS and of the signature. Not every compatible store knows them.
    ...(endpoint && {
      requestChecksumCalculation: 'WHEN_REQUIRED' as const,
      responseChecksumValidation: 'WHEN_REQUIRED' as const,
    }),
    forcePathStyle,
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: timeoutMillis,
      requestTimeout: timeoutMillis,
      throwOnRequestTimeout: true,
      // A reader may be slow, so a quiet connection is no failure; `chunksOf` limits the pauses of the store.
      socketTimeout: 0,
      httpAgent: { maxSockets: CONNECTIONS },
      httpsAgent: { maxSockets: CONNECTIONS },
    },
  });

/** A wrong bucket or wrong credentials are reported at the start; a store that does not answer may answer later. */
async function checkBucket(client: S3Client, place: S3Place, log: Logger): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: place.bucket }));
  } catch (error) {
    if (isUnreachable(error))
      return log.warn({ err: error, bucket: place.bucket }, 'the file storage does not answer');
    throw new StartError(
      `FILES_URL: the bucket "${place.bucket}" cannot be used: ${reasonOf(error)}. Check its name, region and endpoint, the ` +
        'credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or a role), and their rights: s3:ListBucket, s3:GetObject, ' +
        's3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload.',
      { cause: error },
    );
  }
}

/** Whether the store did not answer, or only with a failure of its own. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof S3ServiceException
    ? (error.$metadata.httpStatusCode ?? 500) >= 500
    : ['TimeoutError', 'AbortError'].includes((error as Error).name) ||
      typeof (error as NodeJS.ErrnoException).syscall === 'string';

const reasonOf = (error: unknown): string => {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === 404) return 'it does not exist';
  if (status === 403) return 'access is denied';
  if (status === 301) return 'it is in another region';
  return error instanceof Error ? error.message : String(error);
};

const isAbsent = (error: unknown): boolean =>
  error instanceof NoSuchKey ||
  (error instanceof S3ServiceException &&
    error.name !== 'NoSuchBucket' &&
    error.$metadata.httpStatusCode === 404);

function refusalOf(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  // MinIO and other stores on disks of their own answer with 507 if their disks are full.
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 507)
    return new PlatformError('INSUFFICIENT_STORAGE', 'There is no space left to store this file.', {
      cause: error,
      retryAfterSeconds: 60,
    });
  return storageUnavailable(error);
}

/**
 * The chunks of a file. The time limit runs only while the reader waits for the store, so that a slow reader is not cut off.
 * @throws UPSTREAM_UNAVAILABLE if the connection breaks, or if the store pauses for longer than the time limit
 */
async function* chunksOf(body: Readable, timeoutMillis: number): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const giveUp = () => body.destroy(new Error(`the store sent nothing for ${timeoutMillis} ms`));
  try {
    for (;;) {
      const timer = setTimeout(giveUp, timeoutMillis);
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    throw refusalOf(error);
  }
}
