import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { invalid, PlatformError } from '../errors.ts';
import { feed } from '../streams.ts';

export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024; // 10 MiB

export interface UploadLimits {
  /** The name of the multipart field that contains files. */
  field: string;
  /** How many files a request may have. Default 1. */
  maxFiles?: number;
  /** The size of the largest accepted file, in bytes. Default 10 MiB. */
  maxBytes?: number;
  /** Whether the request may have no file, and may then be JSON. Default false. */
  optional?: boolean;
}

/** A file as the client sent it; neither its name nor its type can be trusted. */
export interface UploadedFile {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface MultipartBody {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly UploadedFile[];
  /** SHA-256 of the whole body, to recognise a repeated request. */
  readonly fingerprint: string;
}

/**
 * Reads a multipart/form-data body (RFC 7578) into memory, with a limit for everything; nothing is written to disk.
 * @throws PAYLOAD_TOO_LARGE, VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE. The remaining body is still read, without being
 * stored, because clients read the answer only after they have sent the body.
 */
export async function readMultipart(req: IncomingMessage, limits: UploadLimits): Promise<MultipartBody> {
  const maxBytes = limits.maxBytes ?? MAX_UPLOAD_BYTES;
  const maxFiles = limits.maxFiles ?? 1;
  const parser = parserFor(req, maxBytes, maxFiles);
  const fields: Record<string, string> = {};
  const files: Promise<UploadedFile>[] = [];
  const fail = (error: PlatformError) => parser.destroy(error);

  parser.on('field', (name, value, info) => {
    if (info.nameTruncated || info.valueTruncated)
      fail(new PlatformError('PAYLOAD_TOO_LARGE', `The field "${name.slice(0, 40)}" is longer than 64 KiB.`));
    else if (name !== '__proto__') fields[name] = value;
  });
  parser.on('file', (field, stream, info) => {
    // `fail` destroys the parser, which emits 'error' on the file's stream; without a listener this would end the process.
    stream.on('error', () => undefined);
    if (field !== limits.field) {
      stream.resume();
      fail(invalid(field, `expected files in the field "${limits.field}" only`));
      return;
    }
    if (/[\\/\0]/.test(info.filename ?? '')) {
      stream.resume();
      fail(invalid(field, 'expected a file name without a path'));
      return;
    }
    const file = bytesOf(stream, maxBytes).then((bytes) => ({
      field,
      filename: info.filename ?? '',
      contentType: info.mimeType,
      bytes,
    }));
    file.catch(fail);
    files.push(file);
  });
  parser.on('filesLimit', () => fail(invalid(limits.field, `expected at most ${maxFiles} file(s)`)));
  parser.on('fieldsLimit', () =>
    fail(new PlatformError('PAYLOAD_TOO_LARGE', 'The form has more than 50 fields.')),
  );

  let stop = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      parser.once('close', resolve);
      parser.once('error', reject);
      stop = feed(req, parser);
    });
    const received = await Promise.all(files);
    if (received.length === 0 && !limits.optional)
      throw invalid(limits.field, 'expected a file in this multipart field, got none');
    return { fields, files: received, fingerprint: fingerprintOf(fields, received) };
  } catch (error) {
    stop();
    throw error instanceof PlatformError ? error : invalid('', 'the multipart body is not well-formed');
  }
}

function parserFor(req: IncomingMessage, maxBytes: number, maxFiles: number): busboy.Busboy {
  if (!/^multipart\/form-data\b/i.test(req.headers['content-type'] ?? ''))
    throw new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Expected multipart/form-data, got ${req.headers['content-type'] ?? 'no Content-Type'}.`,
    );
  if (Number(req.headers['content-length'] ?? 0) > maxBytes * maxFiles + 1024 * 1024)
    throw tooLarge(maxBytes);
  try {
    return busboy({
      headers: req.headers,
      defParamCharset: 'utf8', // names of fields and files (RFC 7578, section 5.1); the default of busboy is latin1
      preservePath: true, // without it busboy shortens a path to its last part, and the path could not be refused
      limits: {
        fileSize: maxBytes,
        files: maxFiles,
        fields: 50,
        fieldSize: 65_536,
        fieldNameSize: 200,
        parts: 60,
      },
    });
  } catch {
    throw invalid('', 'the multipart body has no boundary');
  }
}

async function bytesOf(stream: Readable & { truncated?: boolean }, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  if (stream.truncated) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

const tooLarge = (maxBytes: number) =>
  new PlatformError(
    'PAYLOAD_TOO_LARGE',
    `A file may have at most ${Math.floor(maxBytes / 1024 / 1024)} MiB; send a smaller one.`,
  );

function fingerprintOf(fields: Record<string, string>, files: readonly UploadedFile[]): string {
  const hash = createHash('sha256').update(JSON.stringify(fields));
  for (const file of files)
    hash.update(`\n${file.field}\n${file.filename}\n${file.bytes.length}\n`).update(file.bytes);
  return hash.digest('hex');
}
